/** The head of a run: its name, its status, its cost, the search, and its actions. */
import type { VNode } from 'preact'
import type { RunRow } from '../../wire/routes.ts'
import { openDialog } from '../actions/open-dialog.ts'
import type { RunSession } from '../connection/run-session.ts'
import { Button } from '../shared/button.tsx'
import { costText, durationText, tokensText } from '../shared/format.ts'
import { Link } from '../shared/link.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { Status } from '../shared/status.tsx'
import { useNow } from '../shared/use-now.ts'
import { delegationOf } from './delegation-of.ts'
import { SaveMenu } from './save-menu.tsx'
import { Search } from './search.tsx'

/** How long the run has lasted: a run that is at work and is followed, until now. */
function Lasted({ run, isFollowed }: { readonly run: RunRow; readonly isFollowed: boolean }): VNode | null {
  const { startedAt, updatedAt, status } = run
  const now = useNow(isFollowed && status === 'running')
  return updatedAt === undefined ? null : (
    <span>{durationText(Math.max(updatedAt, now ?? 0) - startedAt)}</span>
  )
}

export function RunHead({ session }: { readonly session: RunSession }): VNode {
  const { service } = usePage()
  const { runId } = session
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
      {run !== undefined && <Status status={run.status} outcome={run.outcome} />}
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
      <Search model={model} />
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
