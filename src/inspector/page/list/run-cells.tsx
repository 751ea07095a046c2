/** The columns of the list of runs. */
import type { VNode } from 'preact'
import type { RunRow } from '../../wire/routes.ts'
import { costText, countText, durationText, plural, timeText, tokensText } from '../shared/format.ts'
import { Link } from '../shared/link.tsx'
import { Status } from '../shared/status.tsx'

export function RunHead(): VNode {
  return (
    <div role="rowgroup" class="run-head">
      <div role="row" aria-rowindex={1} class="run-cells">
        <span role="columnheader">Status</span>
        <span role="columnheader">Run</span>
        <span role="columnheader">Agent</span>
        <span role="columnheader">Waits for</span>
        <span role="columnheader" class="number">
          Entries
        </span>
        <span role="columnheader" class="number">
          Tokens
        </span>
        <span role="columnheader" class="number">
          Cost
        </span>
        <span role="columnheader" class="number">
          Lasted
        </span>
        <span role="columnheader" class="number">
          Started
        </span>
      </div>
    </div>
  )
}

export function RunCells({ run }: { readonly run: RunRow }): VNode {
  const { runId, agent, status, outcome, entries, usage, startedAt, updatedAt, forkedFrom, leftAt } = run
  return (
    <div class="run-cells" role="presentation">
      <span role="gridcell">
        <Status status={leftAt === undefined ? status : 'left'} outcome={outcome} />
      </span>
      <span role="gridcell" class="cut mono">
        <Link to={{ view: 'run', runId, tab: 'entry' }} title={runId}>
          {runId}
        </Link>
        {forkedFrom !== undefined && (
          <span class="muted" title={`Forked from ${forkedFrom}`}>
            {' '}
            fork
          </span>
        )}
      </span>
      <span role="gridcell" class="cut said">
        {agent}
      </span>
      <span role="gridcell" class="cut">
        <Waits run={run} />
      </span>
      <span role="gridcell" class="number">
        {entries === undefined ? '' : countText(entries)}
      </span>
      <span role="gridcell" class="number">
        {usage === undefined ? '' : tokensText(usage.totalTokens)}
      </span>
      <span role="gridcell" class="number">
        {usage?.cost === undefined ? '' : costText(usage.cost)}
      </span>
      <span role="gridcell" class="number">
        {updatedAt === undefined ? '' : durationText(updatedAt - startedAt)}
      </span>
      <span role="gridcell" class="number muted">
        {timeText(startedAt)}
      </span>
    </div>
  )
}

function Waits({ run: { awaiting } }: { readonly run: RunRow }): VNode | null {
  const [first] = awaiting
  return first === undefined ? null : (
    <span class="badge warn" title={awaiting.map(({ toolName }) => toolName).join(', ')}>
      <span aria-hidden="true">?</span>
      <span>{awaiting.length === 1 ? first.toolName : plural(awaiting.length, 'question')}</span>
    </span>
  )
}
