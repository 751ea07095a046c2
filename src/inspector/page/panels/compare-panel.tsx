/** Compares the run with another one, such as the run that it was forked from: the first entry that differs. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Comparison } from '../../wire/routes.ts'
import { Failed } from '../shared/failed.tsx'
import { plural } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Link } from '../shared/link.tsx'
import { usePage } from '../shared/page-context.ts'
import { place, replacePlace } from '../shared/router.ts'
import { useLoaded } from '../shared/use-loaded.ts'
import type { RunSession } from '../connection/run-session.ts'

export function ComparePanel({ session }: { readonly session: RunSession }): VNode {
  const { api } = usePage()
  const current = place.value
  const origin = session.run.value?.forkedFrom
  const other = (current.view === 'run' ? current.other : undefined) ?? origin
  const length = session.model.value.length.value
  const compared = useLoaded(other === undefined ? undefined : `${other} ${length}`, () =>
    api.compare(session.runId, other ?? ''),
  )
  return (
    <>
      <OtherRun key={other ?? ''} other={other ?? ''} origin={origin} />
      {other === undefined ? (
        <div class="empty">
          <h2>With which run?</h2>
          <p>Give the id of another run. A fork is compared with its origin by itself.</p>
        </div>
      ) : compared.state === 'failed' ? (
        <Failed subject="The comparison" error={compared.error} retry={compared.retry} />
      ) : compared.value === undefined ? (
        <p class="empty">Comparing …</p>
      ) : (
        <Compared comparison={compared.value} session={session} />
      )}
    </>
  )
}

function OtherRun({ other, origin }: { readonly other: string; readonly origin: string | undefined }): VNode {
  const [text, setText] = useState(other)
  const compare = () => {
    const current = place.peek()
    if (current.view === 'run' && text.trim() !== '') replacePlace({ ...current, other: text.trim() })
  }
  return (
    <form
      class="compare-form"
      onSubmit={(event) => {
        event.preventDefault()
        compare()
      }}
    >
      <label class="field">
        {other !== '' && other === origin ? 'Compared with its origin' : 'Compared with'}
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

function Compared({
  comparison,
  session,
}: {
  readonly comparison: Comparison
  readonly session: RunSession
}): VNode {
  const { firstDifference, rows, otherRows, entry, otherEntry, otherRunId } = comparison
  const model = session.model.value
  return (
    <>
      <p>
        This run has {plural(rows, 'entry')},{' '}
        <Link to={{ view: 'run', runId: otherRunId, tab: 'entry' }}>the other one</Link>{' '}
        {plural(otherRows, 'entry')}.
      </p>
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
