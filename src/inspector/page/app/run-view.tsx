/** A run: its head, its actors, the chart of one of them, the panels, and the timeline. */
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Chart } from '../chart/chart.tsx'
import { isNotFound, messageOf } from '../connection/failure.ts'
import { RunSession } from '../connection/run-session.ts'
import { useKeyGroup } from '../keys/bindings.ts'
import { actionKeys, actorKeys, entryKeys, panelKeys } from '../keys/run-keys.ts'
import { Panels } from '../panels/panels.tsx'
import { Divider } from '../shared/divider.tsx'
import { Failed } from '../shared/failed.tsx'
import { Link } from '../shared/link.tsx'
import { forkRefusal, refusalOf, usePage } from '../shared/page-context.ts'
import type { RunPlace } from '../shared/router.ts'
import { SummaryView } from '../summary/summary-view.tsx'
import { ThreadView } from '../thread/thread-view.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { Tree } from '../tree/tree.tsx'
import { RunHead } from './run-head.tsx'
import { useAddress } from './use-address.ts'
import { useTail } from './use-tail.ts'
import { HeldEffects } from '../actions/held-effects.tsx'
import { QuestionCard } from '../actions/question-card.tsx'
import { plural, countText } from '../shared/format.ts'

export function RunView({ current }: { readonly current: RunPlace }): VNode {
  const { api, service } = usePage()
  const session = useMemo(() => new RunSession(api, current.runId), [api, current.runId])
  useEffect(() => () => session.close(), [session])
  useAddress(session)
  useTail(session)
  const model = session.model.value
  const signal = refusalOf(service, 'signal')
  const fork = forkRefusal(service)
  const isSummary = current.tab === 'summary'
  useKeyGroup(() => (isSummary ? undefined : entryKeys(session)), [session, model, isSummary])
  useKeyGroup(() => (isSummary ? undefined : actorKeys(session)), [session, model, isSummary])
  useKeyGroup(panelKeys, [])
  useKeyGroup(() => actionKeys(session, { signal, fork }), [session, signal, fork])

  const feed = session.feed.value
  if (feed.state === 'refused') return <Refused error={feed.error} />
  if (current.tab === 'thread') {
    return (
      <div class="run">
        <RunHead session={session} current={current} />
        <Notices session={session} />
        <div class="run-body threaded" style={sideStyle()}>
          <Side session={session} />
          <ThreadView session={session} />
        </div>
        <div class="run-time">
          <Transport session={session} />
          <Timeline model={model} />
        </div>
      </div>
    )
  }
  if (current.tab === 'summary') {
    return (
      <div class="run summarised">
        <RunHead session={session} current={current} />
        <Notices session={session} isSummary />
        <div class="run-summary">
          <Asking session={session} />
          <SummaryView session={session} />
        </div>
      </div>
    )
  }
  return (
    <div class="run">
      <RunHead session={session} current={current} />
      <Notices session={session} />
      <div class="run-body" style={sideStyle()}>
        <Side session={session} />
        <Chart model={model} />
        <Panels session={session} tab={current.tab} />
      </div>
      <div class="run-time">
        <Transport session={session} />
        <Timeline model={model} />
      </div>
    </div>
  )
}

/** The width of the side, where it was chosen. */
const sideWidth = signal<number | undefined>(undefined)

function sideStyle(): Readonly<Record<string, string>> {
  const { value } = sideWidth
  return value === undefined ? {} : { '--side': `${value}px` }
}

/** What waits for a person, and the actors. */
function Side({ session }: { readonly session: RunSession }): VNode {
  return (
    <div class="run-side">
      <Divider label="Width of the actors" width={sideWidth} least={180} most={900} />
      <Asking session={session} />
      <Tree model={session.model.value} />
    </div>
  )
}

/** Moves through the entries of a run, back to the first and on to those that arrive. */
function Transport({ session }: { readonly session: RunSession }): VNode {
  const model = session.model.value
  const isOpening = session.feed.value.state === 'opening' && model.length.value > 0
  const length = model.length.value
  const cursor = model.cursor.value
  const isLive = model.isLive.value
  const row = model.rows[cursor]
  return (
    <div class="transport" role="group" aria-label="Time travel">
      <button type="button" class="button plain" title="Entry before (←)" onClick={() => model.moveBy(-1)}>
        <span aria-hidden="true">◀</span>
        <span class="unseen">Entry before</span>
      </button>
      <input
        type="range"
        min={0}
        max={Math.max(0, length - 1)}
        value={Math.max(0, cursor)}
        disabled={length < 2}
        aria-label="Entry"
        aria-valuetext={row === undefined ? 'none' : `${cursor + 1} of ${length}, ${row.kind ?? row.type}`}
        onInput={(event) => model.moveTo(event.currentTarget.valueAsNumber)}
      />
      <button type="button" class="button plain" title="Next entry (→)" onClick={() => model.moveBy(1)}>
        <span aria-hidden="true">▶</span>
        <span class="unseen">Next entry</span>
      </button>
      <span class="transport-place number">
        entry {countText(cursor + 1)} of {countText(length)}
      </span>
      <span class="transport-more" role="status">
        {isOpening && 'more entries are on the way …'}
      </span>
      <button
        type="button"
        class={isLive ? 'button transport-live on' : 'button transport-live'}
        aria-pressed={isLive}
        title="The last entry, and those that follow (End)"
        onClick={() => model.goLive()}
      >
        {isLive ? '● latest' : '○ time travel'}
      </button>
    </div>
  )
}

/** What waits for a person: what a dry fork holds, and the questions of a run. */
function Asking({ session }: { readonly session: RunSession }): VNode {
  const dry = session.dry.value
  return (
    <>
      {dry !== undefined && <HeldEffects runId={session.runId} dry={dry} />}
      <Questions session={session} />
    </>
  )
}

/** The questions of a run that are open now. */
function Questions({ session }: { readonly session: RunSession }): VNode | null {
  const awaiting = session.run.value?.awaiting ?? []
  const path = session.model.value.path.value
  return awaiting.length === 0 ? null : (
    <section class="run-questions" aria-label="Open questions" tabIndex={0}>
      <h2>{plural(awaiting.length, 'question')} for you</h2>
      <ul>
        {awaiting.map((question) => (
          <QuestionCard
            key={question.toolCallId}
            question={question}
            isActive={question.toolCallId === path}
          />
        ))}
      </ul>
    </section>
  )
}

/** Says what is not as usual: an outage, a journal that cannot be replayed, agents that have changed. */
interface NoticesProps {
  readonly session: RunSession
  /** A summary needs no transitions, and says itself what it lacks. */
  readonly isSummary?: boolean
}

function Notices({ session, isSummary = false }: NoticesProps): VNode {
  const feed = session.feed.value
  const untold = session.untold.value
  const diverged = session.diverged.value
  const uncharted = session.uncharted.value
  return (
    <div role="status" class="notices">
      {feed.state === 'outage' && (
        <div class="notice bad">
          <p class="said">
            Not current: {feed.message} The entries below are those before; the connection is tried again.
          </p>
          <button type="button" class="button" onClick={() => session.retry()}>
            Try now
          </button>
        </div>
      )}
      {untold !== undefined && !isSummary && (
        <div class="notice">
          <p class="said">
            Without transitions and states: {untold.message} Give the inspector the agents that the run began
            with.
          </p>
        </div>
      )}
      {diverged !== undefined && (
        <div class="notice">
          <p class="said">
            The agents have changed since: entry {diverged.entry + 1} has another {diverged.field} than they
            would ask for today.
          </p>
          <button type="button" class="button" onClick={() => session.model.peek().moveTo(diverged.entry)}>
            Show it
          </button>
        </div>
      )}
      {uncharted !== undefined && feed.state !== 'outage' && (
        <div class="notice">
          <p class="said">The charts could not be loaded: {messageOf(uncharted)}</p>
        </div>
      )}
    </div>
  )
}

function Refused({ error }: { readonly error: unknown }): VNode {
  return isNotFound(error) ? (
    <div class="empty">
      <h1>There is no such run</h1>
      <p>
        It was deleted, or it is in another store. Go on with{' '}
        <Link to={{ view: 'runs' }}>the list of runs</Link>.
      </p>
    </div>
  ) : (
    <Failed subject="The run" error={error} />
  )
}
