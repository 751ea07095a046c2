/** The head of a run: its name, its status, its cost, the search, and its actions. */
import type { VNode } from 'preact'
import type { RunRow } from '../../wire/routes.ts'
import { openDialog, type Delegation } from '../actions/open-dialog.ts'
import type { RunSession } from '../connection/run-session.ts'
import { Button } from '../shared/button.tsx'
import { costText, durationText, tokensText } from '../shared/format.ts'
import { Link } from '../shared/link.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'
import type { RunPlace } from '../shared/router.ts'
import { Status } from '../shared/status.tsx'
import { useNow } from '../shared/use-now.ts'
import { SaveMenu } from './save-menu.tsx'
import type { RunModel } from '../model/run-model.ts'
import { EntrySearch } from '../search/entry-search.tsx'

/** How long the run has lasted: a run that is at work and is followed, until now. */
function Lasted({ run, isFollowed }: { readonly run: RunRow; readonly isFollowed: boolean }): VNode | null {
  const { startedAt, updatedAt, status } = run
  const { duration = (updatedAt ?? startedAt) - startedAt } = run
  const isAtWork = isFollowed && status === 'running'
  const now = useNow(isAtWork)
  return updatedAt === undefined ? null : (
    <span>{durationText(duration + (isAtWork ? Math.max(0, now - updatedAt) : 0))}</span>
  )
}

interface RunHeadProps {
  readonly session: RunSession
  readonly current: RunPlace
}

export function RunHead({ session, current }: RunHeadProps): VNode {
  const { service } = usePage()
  const { runId } = session
  const isDetailed = current.tab !== 'summary' && current.tab !== 'thread'
  const run = session.run.value
  const model = session.model.value
  const refusal =
    refusalOf(service, 'signal') ?? (run?.status === 'settled' ? 'The run has ended.' : undefined)
  const delegation = delegationOf(model, model.path.value, model.cursor.value)
  return (
    <header class="run-title">
      <h1 class="cut">
        <span class="said">{run?.agent ?? ''}</span> <code class="said muted">{runId}</code>
      </h1>
      <nav class="run-views" aria-label="Views of the run">
        <Link to={{ ...current, tab: 'summary' }} isCurrent={current.tab === 'summary'}>
          Summary
        </Link>
        <Link to={{ ...current, tab: 'thread' }} isCurrent={current.tab === 'thread'}>
          Thread
        </Link>
        <Link to={{ ...current, tab: isDetailed ? current.tab : 'entry' }} isCurrent={isDetailed}>
          <span class="wide-word">Details</span>
          <span class="narrow-word">Tree</span>
        </Link>
      </nav>
      {run !== undefined && <Status status={run.status} outcome={run.outcome} />}
      {session.dry.value !== undefined && (
        <span class="badge" title="It asks before it pays or acts, and is in no list">
          dry fork
        </span>
      )}
      {session.recorded.value !== undefined && (
        <span
          class="badge"
          title={`Told by the agents that the journal has on record, without their words: ${session.recorded.value.message}`}
        >
          by its record
        </span>
      )}
      {run?.forkedFrom !== undefined && (
        <Link to={{ view: 'run', runId, tab: 'compare' }} class="cut" title={`Forked from ${run.forkedFrom}`}>
          fork
        </Link>
      )}
      <span class="run-sums muted">
        {run !== undefined && <Lasted run={run} isFollowed={session.feed.value.state === 'live'} />}
        {run?.usage !== undefined && <span>{tokensText(run.usage.totalTokens)} tokens</span>}
        {run?.usage?.cost !== undefined && <span>cost {costText(run.usage.cost)}</span>}
      </span>
      {current.tab !== 'summary' && <EntrySearch session={session} />}
      <Button
        refusal={refusal}
        shortcut="s"
        onClick={() => (openDialog.value = { type: 'say', runId, agent: run?.agent ?? '' })}
      >
        Say …
      </Button>
      {delegation !== undefined && (
        <Button
          refusal={refusal}
          onClick={() => (openDialog.value = { type: 'cancel', runId, delegation })}
          title={`Cancels the delegation to ${delegation.agent}`}
        >
          ■ Cancel delegation …
        </Button>
      )}
      <Button
        refusal={refusal}
        look="danger"
        shortcut="x"
        onClick={() => (openDialog.value = { type: 'cancel', runId })}
      >
        ■ Cancel …
      </Button>
      <SaveMenu session={session} />
    </header>
  )
}

/** The innermost delegation, under way at a row, that is the actor itself or around it. */
function delegationOf(model: RunModel, path: string, row: number): Delegation | undefined {
  for (let place = model.actors.at(path); place !== undefined; place = place.parent) {
    const actor = place.at(row)
    const started = actor === undefined ? undefined : model.rows[actor.added]
    const event = started?.events.find((one) => one.type === 'delegation-start' && one.path === place?.path)
    if (event?.delegationId !== undefined && actor?.statusAt(row) === 'active') {
      return { delegationId: event.delegationId, agent: event.line.split(' ', 1)[0] ?? place.id }
    }
  }
  return undefined
}
