/** A list of runs as text. */
import type { RunSummary } from '../../index.ts'
import { defaultsOf, readOptions, type Fields } from '../../kit/index.ts'
import { costText, TextPage, textFields, timeText } from './text-page.ts'
import { lineOf, nameOf } from './texts.ts'

/** The options of `runsText`. */
export interface RunsTextOptions {
  /** The most columns of a line: 40 or more. Default: 100. */
  readonly width?: number
  /** With escape sequences for colours. Default: `false`. */
  readonly color?: boolean
}

const fields = textFields satisfies Fields<RunsTextOptions>

/**
 * Returns the runs as a table, a line each, that ends with a line feed. Below 100 columns it has fewer of them; the id of a run is
 * never cut. Times are in UTC. Throws a `ConfigurationError` for a wrong option.
 */
export function runsText(runs: readonly RunSummary[], options: RunsTextOptions = {}): string {
  const { width, color } = {
    ...defaultsOf(fields),
    ...readOptions<RunsTextOptions>(options, 'runsText', fields),
  }
  const page = new TextPage(width, color)
  const isWide = width >= 100
  const wide = (...cells: readonly string[]) => (isWide ? cells : [])
  page.table(
    ['run', 'agent', 'status', 'started', ...wide('time', 'entries'), 'tokens', 'cost', ...wide('task')],
    runs.map((run) => [
      nameOf(run.runId),
      nameOf(run.agent),
      statusOf(run),
      timeOf(run.startedAt, isWide),
      ...wide(timeText(run.duration), String(run.entries)),
      String(run.usage.totalTokens),
      run.usage.cost === undefined ? '–' : costText(run.usage.cost),
      ...wide(lineOf(run.task ?? '')),
    ]),
    isWide ? [0, 1, 2, 3, 8] : [0, 1, 2, 3],
    true,
  )
  return page.text
}

/** In UTC: `2026-11-30 11:11:37`, or `11-30 11:11`. */
function timeOf(at: number, isWide: boolean): string {
  const text = new Date(at).toISOString().replace('T', ' ')
  return isWide ? text.slice(0, 19) : text.slice(5, 16)
}

function statusOf({ status, outcome, code, awaiting }: RunSummary): string {
  if (outcome !== undefined)
    return code === undefined ? nameOf(outcome) : `${nameOf(outcome)} (${nameOf(code)})`
  return status === 'suspended' && awaiting.length > 0 ? `asks (${awaiting.length})` : status
}
