/** The list of runs. */
import { computed, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { RunRow } from '../../wire/routes.ts'
import { Failed } from '../shared/failed.tsx'
import { plural, costText, countText, durationText, timeText, tokensText } from '../shared/format.ts'
import { usePage } from '../shared/page-context.ts'
import { goTo } from '../shared/router.ts'
import { WindowList } from '../shared/window-list.tsx'
import { failedOfLate, hasWords, readFilter, statusesOf } from './filter.ts'
import { Outage } from './outage.tsx'
import { RunList } from './run-list.ts'
import { Link } from '../shared/link.tsx'
import { Status } from '../shared/status.tsx'

/** The text of the filter, and the run that the keys have come to: they stay when the view is left. */
const text = signal('')
const activeRun = signal<string | undefined>(undefined)

export function RunsView(): VNode {
  const { api, service } = usePage()
  const engine = service?.engine ?? 'embedded'
  const filter = useMemo(() => readFilter(text.value, engine), [text.value, engine])
  const { agent, status, outcome, within } = filter.server
  const list = useMemo(() => new RunList(api, filter.server), [api, agent, status, outcome, within])
  useEffect(() => () => list.close(), [list])
  const shown = useMemo(
    () => computed(() => list.runs.value.filter((run) => hasWords(run, filter.words))),
    [list, filter],
  ).value
  const open = ({ runId }: RunRow) => goTo({ view: 'run', runId, tab: 'summary' })
  const active = shown.findIndex(({ runId }) => runId === activeRun.value)
  return (
    <section class="runs" aria-labelledby="runs-title">
      <div class="runs-bar">
        <h1 id="runs-title">Runs</h1>
        <input
          class="input"
          type="search"
          data-search
          placeholder="Filter: words, agent:lead, outcome:failed, since:1h"
          aria-label="Filter the runs"
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <StatusChoice chosen={status} statuses={statusesOf[engine]} />
        {engine !== 'restate' && (
          <button
            type="button"
            class="button"
            aria-pressed={text.value === failedOfLate}
            onClick={() => (text.value = text.value === failedOfLate ? '' : failedOfLate)}
          >
            Failed in the last hour
          </button>
        )}
        <p class="muted">{countsText(shown.length, list)}</p>
      </div>
      <Outage failure={list.failure.value} isLoaded={list.isLoaded.value} retry={() => list.retry()} />
      {!list.isLoaded.value ? (
        <NotLoaded list={list} />
      ) : shown.length === 0 ? (
        <NoRuns list={list} isFiltered={text.value.trim() !== ''} />
      ) : (
        <WindowList
          label="Runs"
          items={shown}
          keyOf={({ runId }) => runId}
          head={{ row: <RunHead />, height: 27 }}
          draw={(run) => <RunCells run={run} />}
          rowHeight={30}
          active={active}
          onActive={(index) => (activeRun.value = shown[index]?.runId)}
          onOpen={open}
          onEnd={() => {
            if (filter.words.length === 0) void list.more()
          }}
        />
      )}
      {filter.words.length > 0 && list.hasMore.value && (
        <div class="runs-more">
          <span class="muted">The words are looked for in the loaded runs.</span>
          <button type="button" class="button" onClick={() => void list.more()}>
            Load older runs
          </button>
        </div>
      )}
    </section>
  )
}

/** The columns of the list of runs. */
function RunHead(): VNode {
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

function RunCells({ run }: { readonly run: RunRow }): VNode {
  const { runId, agent, status, outcome, entries, usage, startedAt, updatedAt, forkedFrom, leftAt } = run
  return (
    <div class="run-cells" role="presentation">
      <span role="gridcell">
        <Status status={leftAt === undefined ? status : 'left'} outcome={outcome} />
      </span>
      <span role="gridcell" class="cut mono">
        <Link to={{ view: 'run', runId, tab: 'summary' }} title={runId}>
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

interface ChoiceProps {
  readonly chosen: string | undefined
  readonly statuses: readonly string[]
}

function StatusChoice({ chosen, statuses }: ChoiceProps): VNode {
  const choose = (status: string) => {
    const rest = text.value.replaceAll(/(^|\s)status:\S*/g, ' ').trim()
    text.value = status === '' ? rest : `${rest} status:${status}`.trim()
  }
  return (
    <select
      class="input status-choice"
      aria-label="Status"
      value={chosen ?? ''}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">any status</option>
      {statuses.map((status) => (
        <option key={status} value={status}>
          {status}
        </option>
      ))}
    </select>
  )
}

function countsText(shown: number, list: RunList): string {
  const loaded = list.runs.value.length
  const all = list.hasMore.value ? `${plural(loaded, 'run')} loaded, there are more` : plural(loaded, 'run')
  return shown === loaded ? all : `${shown} of ${all}`
}

function NotLoaded({ list }: { readonly list: RunList }): VNode {
  const failure = list.failure.value
  return failure === undefined ? (
    <p class="empty">Loading the runs …</p>
  ) : (
    <Failed subject="The runs" error={failure.error} retry={() => list.retry()} />
  )
}

function NoRuns({ list, isFiltered }: { readonly list: RunList; readonly isFiltered: boolean }): VNode {
  if (!isFiltered && list.hasMore.value) {
    return (
      <div class="empty">
        <h2>None of the newest runs is shown</h2>
        <p>The inspector was told to leave them out. Older ones are not loaded yet.</p>
        <button type="button" class="button" onClick={() => void list.more()}>
          Load older runs
        </button>
      </div>
    )
  }
  return isFiltered ? (
    <div class="empty">
      <h2>No run fits the filter</h2>
      {list.hasMore.value && <p>Older runs are not loaded yet.</p>}
      <button type="button" class="button" onClick={() => (text.value = '')}>
        Clear the filter
      </button>
    </div>
  ) : (
    <div class="empty">
      <h2>There are no runs yet</h2>
      <p>
        Start one with <code>troupe.start(agent, task)</code>. It appears here at once.
      </p>
    </div>
  )
}
