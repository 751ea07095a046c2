/** A run: its head, its actors, the chart of one of them, the panels, and the timeline. */
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Chart } from '../chart/chart.tsx'
import { isNotFound } from '../connection/failure.ts'
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
import { Notices } from './notices.tsx'
import { RunHead } from './run-head.tsx'
import { Transport } from './transport.tsx'
import { useAddress } from './use-address.ts'
import { useTail } from './use-tail.ts'
import { HeldEffects } from '../actions/held-effects.tsx'
import { QuestionCard } from '../actions/question-card.tsx'
import { plural } from '../shared/format.ts'

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
  return (
    <div class={isSummary ? 'run summarised' : 'run'}>
      <RunHead session={session} current={current} />
      <Notices session={session} isSummary={isSummary} />
      {current.tab === 'summary' ? (
        <div class="run-summary">
          <Asking session={session} />
          <SummaryView session={session} />
        </div>
      ) : (
        <Entries session={session} tab={current.tab} />
      )}
    </div>
  )
}

interface EntriesProps {
  readonly session: RunSession
  readonly tab: Exclude<RunPlace['tab'], 'summary'>
}

/** The run entry by entry: its actors and its timeline, with the thread, or with a chart and a panel. */
function Entries({ session, tab }: EntriesProps): VNode {
  const model = session.model.value
  const isThread = tab === 'thread'
  return (
    <>
      <div class={isThread ? 'run-body threaded' : 'run-body'} style={sideStyle()}>
        <Side session={session} />
        {isThread ? (
          <ThreadView session={session} />
        ) : (
          <>
            <Chart model={model} />
            <Panels session={session} tab={tab} />
          </>
        )}
      </div>
      <div class="run-time">
        <Transport session={session} />
        <Timeline model={model} />
      </div>
    </>
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
