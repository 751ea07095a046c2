/** Two runs beside each other, such as a fork and its origin: their summaries, their answers, and the first entry that differs. */
import type { Summary } from '../../../view/summary/summary.ts'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Comparison, RunRow } from '../../wire/routes.ts'
import type { RunSession } from '../connection/run-session.ts'
import { Failed } from '../shared/failed.tsx'
import { costText, plural, timeText, tokensText } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Link } from '../shared/link.tsx'
import { usePage } from '../shared/page-context.ts'
import { place, replacePlace } from '../shared/router.ts'
import { useLoaded } from '../shared/use-loaded.ts'
import { Words } from '../shared/words.tsx'

interface Both {
  readonly comparison: Comparison
  /** `undefined`: it is withheld, or cannot be made. */
  readonly summaries: readonly (Summary | undefined)[]
}

export function ComparePanel({ session }: { readonly session: RunSession }): VNode {
  const { api } = usePage()
  const current = place.value
  const origin = session.dry.value?.origin ?? session.run.value?.forkedFrom
  const other = (current.view === 'run' ? current.other : undefined) ?? origin
  const length = session.model.value.length.value
  const compared = useLoaded(
    other === undefined ? undefined : `${other} ${length}`,
    async (): Promise<Both> => {
      const runIds = [session.runId, other ?? '']
      const [comparison, ...summaries] = await Promise.all([
        api.compare(session.runId, other ?? ''),
        ...runIds.map((runId) => api.summary(runId).catch(() => undefined)),
      ] as const)
      return { comparison, summaries }
    },
  )
  return (
    <>
      <OtherRun key={other ?? ''} session={session} other={other ?? ''} origin={origin} />
      {other === undefined ? (
        <div class="empty">
          <h2>With which run?</h2>
          <p>Pick another run of the list, or give its id. A fork is compared with its origin by itself.</p>
        </div>
      ) : compared.state === 'failed' ? (
        <Failed subject="The comparison" error={compared.error} retry={compared.retry} />
      ) : compared.value === undefined ? (
        <p class="empty">Comparing …</p>
      ) : (
        <Compared both={compared.value} session={session} />
      )}
    </>
  )
}

interface OtherRunProps {
  readonly session: RunSession
  readonly other: string
  readonly origin: string | undefined
}

/** The runs to choose from: the origin, and the newest of the same agent. */
function OtherRun({ session, other, origin }: OtherRunProps): VNode {
  const { api } = usePage()
  const [text, setText] = useState(other)
  const agent = session.run.value?.agent
  const listed = useLoaded(agent, () => api.runs({ agent, limit: 30, order: 'newest' }))
  const runs = (listed.value?.items ?? []).filter(({ runId }) => runId !== session.runId)
  const isListed = runs.some(({ runId }) => runId === other)
  const compare = (runId: string) => {
    const current = place.peek()
    if (current.view === 'run' && runId.trim() !== '') replacePlace({ ...current, other: runId.trim() })
  }
  return (
    <form
      class="compare-form"
      onSubmit={(event) => {
        event.preventDefault()
        compare(text)
      }}
    >
      <label class="field">
        {other !== '' && other === origin ? 'Compared with its origin' : 'Compared with'}
        <select value={isListed ? other : ''} onChange={(event) => compare(event.currentTarget.value)}>
          <option value="">{isListed ? 'another run' : other === '' ? 'pick a run' : other}</option>
          {runs.map((run) => (
            <option key={run.runId} value={run.runId}>
              {optionOf(run, session.runId, origin)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        or by its id
        <input
          type="text"
          class="mono"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        Compare
      </button>
    </form>
  )
}

function optionOf(
  { runId, startedAt, status, outcome, forkedFrom }: RunRow,
  shown: string,
  origin: string | undefined,
): string {
  const kin = runId === origin ? 'origin' : forkedFrom === shown ? 'fork of this run' : ''
  return [timeText(startedAt), outcome ?? status, kin, runId].filter((part) => part !== '').join(' · ')
}

function Compared({ both, session }: { readonly both: Both; readonly session: RunSession }): VNode {
  const { comparison, summaries } = both
  const { firstDifference, rows, otherRows, entry, otherEntry, otherRunId } = comparison
  const [own, others] = summaries
  const model = session.model.value
  return (
    <>
      <div class="compared">
        <Side title="This run" entries={rows} summary={own} />
        <Side title="The other run" runId={otherRunId} entries={otherRows} summary={others} />
      </div>
      {firstDifference === undefined ? (
        <p>{rows === otherRows ? 'They do not differ.' : 'One is the beginning of the other.'}</p>
      ) : (
        <>
          <p>
            The first difference is entry{' '}
            <button type="button" class="button" onClick={() => model.moveTo(firstDifference)}>
              {firstDifference + 1}
            </button>
          </p>
          <div class="compared">
            <section class="block">
              <h3>This run</h3>
              {entry === undefined ? <p class="muted">No entry</p> : <Json value={entry} open={3} />}
            </section>
            <section class="block">
              <h3>The other run</h3>
              {otherEntry === undefined ? (
                <p class="muted">No entry</p>
              ) : (
                <Json value={otherEntry} open={3} />
              )}
            </section>
          </div>
        </>
      )}
    </>
  )
}

interface SideProps {
  readonly title: string
  /** Of the other run. */
  readonly runId?: string
  readonly entries: number
  readonly summary: Summary | undefined
}

/** How a run ended, what it answered, and what it took. */
function Side({ title, runId, entries, summary }: SideProps): VNode {
  return (
    <section class="block" aria-label={`Summary: ${title}`}>
      <h3>
        {runId === undefined ? title : <Link to={{ view: 'run', runId, tab: 'summary' }}>{title}</Link>}
      </h3>
      <p class="muted">{plural(entries, 'entry')}</p>
      {summary === undefined ? (
        <p class="muted">There is no summary.</p>
      ) : (
        <>
          <p>
            <b class="said">
              {summary.ending
                .map((phrase) => (typeof phrase === 'string' ? phrase : `entry ${phrase.entry}`))
                .join('')}
            </b>
          </p>
          {summary.answer !== undefined && <Words text={summary.answer} most={2000} />}
          <p class="muted">
            {plural(summary.total.calls, 'model call')} · {plural(summary.total.toolCalls, 'tool call')} ·{' '}
            {tokensText(summary.total.usage.totalTokens)} tokens
            {summary.total.usage.cost === undefined ? '' : ` · cost ${costText(summary.total.usage.cost)}`}
          </p>
        </>
      )}
    </section>
  )
}
