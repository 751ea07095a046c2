/** The list of runs. */
import { computed, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RunRow, ServiceInfo } from '../../wire/routes.ts'
import { Failed } from '../shared/failed.tsx'
import { plural, costText, countText, durationText, timeText, tokensText } from '../shared/format.ts'
import { usePage } from '../shared/page-context.ts'
import { goTo, replacePlace, runsPlace } from '../shared/router.ts'
import { useNow } from '../shared/use-now.ts'
import { WindowList } from '../shared/window-list.tsx'
import {
  failedOfLate,
  hasEnded,
  hasWords,
  orderNamed,
  ordersOf,
  readFilter,
  statusesOf,
  type ListOrder,
  type ServerFilter,
} from './filter.ts'
import { Outage } from './outage.tsx'
import { RunList } from './run-list.ts'
import { Link } from '../shared/link.tsx'
import { Status } from '../shared/status.tsx'

/** The run that the keys have come to: it stays when the view is left. */
const activeRun = signal<string | undefined>(undefined)

/** Milliseconds without a letter until the server is asked. */
const typingPause = 200

export function RunsView(): VNode {
  const { api, service } = usePage()
  const engine = service?.engine ?? 'embedded'
  const { find = '', order: orderName } = runsPlace.value
  const order = orderNamed(orderName, engine)
  const filter = useMemo(() => readFilter(find, engine), [find, engine])
  const asked = useRested(JSON.stringify(filter.server))
  const list = useMemo(() => new RunList(api, JSON.parse(asked) as ServerFilter, order), [api, asked, order])
  useEffect(() => () => list.close(), [list])
  const shown = useMemo(
    () => computed(() => list.runs.value.filter((run) => hasWords(run, filter.words))),
    [list, filter],
  ).value
  const now = useNow(shown.some((run) => !hasEnded(run)))
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
          placeholder="Find: words of the task, agent:lead, code:TIMED_OUT, since:1h"
          aria-label="Filter the runs"
          value={find}
          onInput={(event) => showRuns({ find: event.currentTarget.value })}
        />
        <StatusChoice find={find} chosen={filter.server.status} statuses={statusesOf[engine]} />
        <Choice
          label="Order"
          chosen={order}
          options={ordersOf(engine)}
          choose={(chosen) => showRuns({ order: chosen })}
        />
        {engine !== 'restate' && (
          <button
            type="button"
            class="button"
            aria-pressed={find === failedOfLate}
            onClick={() => showRuns({ find: find === failedOfLate ? '' : failedOfLate })}
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
        <NoRuns list={list} isFiltered={find.trim() !== ''} />
      ) : (
        <WindowList
          label="Runs"
          items={shown}
          keyOf={({ runId }) => runId}
          head={{ row: <RunHead order={order} engine={engine} />, height: 27 }}
          draw={(run) => <RunCells run={run} now={now} />}
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

/** Shows the list with another filter or order, which the address then has. */
function showRuns(changed: { readonly find?: string; readonly order?: ListOrder }): void {
  const { find = '', order = 'newest' } = { ...runsPlace.peek(), ...changed }
  replacePlace({ view: 'runs', ...(find === '' ? {} : { find }), ...(order === 'newest' ? {} : { order }) })
}

/** The text, once nothing is typed for a while. */
function useRested(text: string): string {
  const [rested, set] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => set(text), typingPause)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

interface HeadProps {
  readonly order: ListOrder
  readonly engine: ServiceInfo['engine']
}

/** The columns of the list of runs; those that have an order are buttons for it. */
function RunHead({ order, engine }: HeadProps): VNode {
  return (
    <div role="rowgroup" class="run-head">
      <div role="row" aria-rowindex={1} class="run-cells">
        <span role="columnheader">Status</span>
        <span role="columnheader">Task</span>
        <span role="columnheader">Run</span>
        <span role="columnheader">Agent</span>
        <span role="columnheader">Waits for, or error</span>
        <span role="columnheader" class="number entries">
          Entries
        </span>
        <span role="columnheader" class="number">
          Tokens
        </span>
        <Sorting name="Cost" by="costliest" {...{ order, engine }} />
        <Sorting name="Lasted" by="longest" {...{ order, engine }} />
        <Sorting name="Started" by={order === 'newest' ? 'oldest' : 'newest'} {...{ order, engine }} />
      </div>
    </div>
  )
}

function Sorting({ name, by, order, engine }: HeadProps & { readonly name: string; readonly by: ListOrder }) {
  const isByTime = name === 'Started' && (order === 'newest' || order === 'oldest')
  const sorted = order === by || isByTime ? (order === 'oldest' ? 'ascending' : 'descending') : undefined
  return (
    <span role="columnheader" class="number" aria-sort={sorted}>
      {ordersOf(engine).some(([known]) => known === by) ? (
        <button type="button" class="sorting" onClick={() => showRuns({ order: by })}>
          {name}
          {sorted !== undefined && <span aria-hidden="true">{sorted === 'ascending' ? ' ↑' : ' ↓'}</span>}
        </button>
      ) : (
        name
      )}
    </span>
  )
}

function RunCells({ run, now }: { readonly run: RunRow; readonly now: number }): VNode {
  const { runId, agent, status, outcome, task, code, entries, usage, startedAt, forkedFrom, leftAt } = run
  return (
    <div class="run-cells" role="presentation">
      <span role="gridcell">
        <Status status={leftAt === undefined ? status : 'left'} outcome={outcome} />
      </span>
      <span role="gridcell" class="cut said" title={task}>
        {task}
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
        {code === undefined ? (
          <Waits run={run} now={now} />
        ) : (
          <span class="bad said mono" title={code}>
            {code}
          </span>
        )}
      </span>
      <span role="gridcell" class="number entries">
        {entries === undefined ? '' : countText(entries)}
      </span>
      <span role="gridcell" class="number">
        {usage === undefined ? '' : tokensText(usage.totalTokens)}
      </span>
      <span role="gridcell" class="number">
        {usage?.cost === undefined ? '' : costText(usage.cost)}
      </span>
      <span role="gridcell" class="number">
        {lastedText(run, now)}
      </span>
      <span role="gridcell" class="number muted">
        {timeText(startedAt)}
      </span>
    </div>
  )
}

/** A run at work counts on; one that waits does not. */
function lastedText({ status, startedAt, updatedAt, duration, outcome }: RunRow, now: number): string {
  const isAtWork = status === 'running' && outcome === undefined
  if (updatedAt === undefined) return isAtWork ? durationText(now - startedAt) : ''
  const known = duration ?? updatedAt - startedAt
  return durationText(isAtWork ? known + Math.max(0, now - updatedAt) : known)
}

/** The questions of the run, and since when the oldest of them waits. */
function Waits({ run: { awaiting }, now }: { readonly run: RunRow; readonly now: number }): VNode | null {
  const [first] = awaiting
  if (first === undefined) return null
  const names = awaiting.map(({ toolName }) => toolName).join(', ')
  return (
    <span class="badge warn" title={`${names}, since ${timeText(first.since)}`}>
      <span aria-hidden="true">?</span>
      <span>{awaiting.length === 1 ? first.toolName : plural(awaiting.length, 'question')}</span>
      <span class="number">{durationText(Math.max(0, now - first.since))}</span>
    </span>
  )
}

interface StatusProps {
  readonly find: string
  readonly chosen: string | undefined
  readonly statuses: readonly string[]
}

function StatusChoice({ find, chosen, statuses }: StatusProps): VNode {
  const choose = (status: string) => {
    const rest = find.replaceAll(/(^|\s)status:\S*/g, ' ').trim()
    showRuns({ find: status === '' ? rest : `${rest} status:${status}`.trim() })
  }
  const options = [['', 'any status'], ...statuses.map((status) => [status, status] as const)] as const
  return <Choice label="Status" chosen={chosen ?? ''} options={options} choose={choose} />
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly chosen: Value
  readonly options: readonly (readonly [value: Value, words: string])[]
  readonly choose: (value: Value) => void
}

function Choice<Value extends string>({ label, chosen, options, choose }: ChoiceProps<Value>): VNode {
  return (
    <select
      class="input status-choice"
      aria-label={label}
      value={chosen}
      onChange={(event) => {
        const [value] = options.find(([one]) => one === event.currentTarget.value) ?? []
        if (value !== undefined) choose(value)
      }}
    >
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
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
      <button type="button" class="button" onClick={() => showRuns({ find: '' })}>
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
