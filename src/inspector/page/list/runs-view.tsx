/** The list of runs. */
import { computed, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { RunRow } from '../../wire/routes.ts'
import { Failed } from '../shared/failed.tsx'
import { plural } from '../shared/format.ts'
import { usePage } from '../shared/page-context.ts'
import { goTo } from '../shared/router.ts'
import { WindowList } from '../shared/window-list.tsx'
import { hasWords, readFilter, statusesOf } from './filter.ts'
import { Outage } from './outage.tsx'
import { RunCells, RunHead } from './run-cells.tsx'
import { RunList } from './run-list.ts'

/** The text of the filter, and the run that the keys have come to: they stay when the view is left. */
const text = signal('')
const activeRun = signal<string | undefined>(undefined)

export function RunsView(): VNode {
  const { api, service } = usePage()
  const engine = service?.engine ?? 'embedded'
  const filter = useMemo(() => readFilter(text.value, engine), [text.value, engine])
  const { agent, status } = filter.server
  const list = useMemo(() => new RunList(api, filter.server), [api, agent, status])
  useEffect(() => () => list.close(), [list])
  const shown = useMemo(
    () => computed(() => list.runs.value.filter((run) => hasWords(run, filter.words))),
    [list, filter],
  ).value
  const open = ({ runId }: RunRow) => goTo({ view: 'run', runId, tab: 'entry' })
  const active = shown.findIndex(({ runId }) => runId === activeRun.value)
  return (
    <section class="runs" aria-labelledby="runs-title">
      <div class="runs-bar">
        <h1 id="runs-title">Runs</h1>
        <input
          class="input"
          type="search"
          data-search
          placeholder="Filter: words, agent:lead, status:suspended"
          aria-label="Filter the runs"
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <StatusChoice chosen={status} statuses={statusesOf[engine]} />
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
