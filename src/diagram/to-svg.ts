/** Machines, teams and runs as drawings that stand by themselves: SVG, legible at the width of a page. */
import { chartOf, isMachine, type Chart } from '../actors/charts/chart.ts'
import { aText, is, oneOf } from '../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  withDefault,
  wrong,
  type Fields,
} from '../actors/strict/read-options.ts'
import { isRecord } from '../actors/values/json.ts'
import { asDefinition, type AgentDefinition, type AnyAgent } from '../runtime/definition/definition.ts'
import type { RunEvent } from '../runtime/handle/run-event.ts'
import type { JournalEntry } from '../runtime/journal/journal.ts'
import type { AnyStateMachine } from 'xstate'
import { machineSvg } from './svg/machine-svg.ts'
import { rowsOfEvents } from './svg/run-rows.ts'
import { rowsOfJournal } from './svg/journal-rows.ts'
import { runSvg } from './svg/run-svg.ts'
import { teamSvg } from './svg/team-svg.ts'

/** The options of `toSvg`. */
export interface SvgOptions {
  /** The colours; the background has one too. Default: `'light'`. */
  readonly theme?: 'light' | 'dark'
  /**
   * Of a machine: the path of a composite state, for example `'preparing'` or `'preparing.processing'`, whose inside is drawn.
   * Default: the outermost states.
   */
  readonly inside?: string
  /**
   * Pixels that the drawing should not be wider than: at this width its texts are 12 px high or more. A drawing that cannot be
   * so narrow is wider. Default: 830, the width of a page of GitHub.
   */
  readonly width?: number
  /** Of a run: the most rows; of more, the first and the last ones are drawn. Default: 120. */
  readonly rows?: number
}

const fields = {
  theme: withDefault(oneOf('light', 'dark'), 'light'),
  inside: optional(aText),
  width: withDefault(
    is('at least 320', (given) => typeof given === 'number' && given >= 320 && given < Infinity),
    830,
  ),
  rows: withDefault(
    is('a whole number of 8 or more', (given) => Number.isInteger(given) && Number(given) >= 8),
    120,
  ),
} satisfies Fields<SvgOptions>

/**
 * Returns a drawing as the text of an SVG document; the same subject always gives the same text. A machine, or its chart, is
 * drawn with all its arrows; a state with states inside has a shadow. An agent, or a list of agents, is drawn as a team: with
 * tools, limits, delegations and handoffs. Events of a run, or its journal, are drawn as its sequence.
 * The document has no script, no style sheet, no id and no address. Throws a `ConfigurationError` for a wrong option, and for
 * anything else.
 */
export function toSvg(
  subject:
    AnyStateMachine | Chart | AnyAgent | readonly AnyAgent[] | readonly RunEvent[] | readonly JournalEntry[],
  options: SvgOptions = {},
): string {
  const read = readOptions<SvgOptions>(options, 'toSvg', fields)
  const { theme, inside, width, rows } = { ...defaultsOf(fields), ...read }
  if (isMachine(subject)) return machineSvg(chartOf(subject), { theme, width, inside })
  if (isChart(subject)) return machineSvg(subject, { theme, width, inside })
  if (isAgent(subject)) return teamSvg([asDefinition(subject)], { theme, width })
  if (!Array.isArray(subject)) throw wrong(subject, 'toSvg: the subject', expected)
  const list: readonly unknown[] = subject
  if (list.length > 0 && list.every(isAgent)) return teamSvg(list, { theme, width })
  if (list.length > 0 && list.every(isEntry)) return runSvg(rowsOfJournal(list), { theme, width, rows })
  if (list.every(isEvent)) return runSvg(rowsOfEvents(list), { theme, width, rows })
  throw wrong(subject, 'toSvg: the subject', expected)
}

const expected = 'a machine, a chart, an agent, a list of agents, or the events or the journal of a run'

function isChart(subject: unknown): subject is Chart {
  return isRecord(subject) && typeof subject['id'] === 'string' && Array.isArray(subject['states'])
}

function isAgent(subject: unknown): subject is AgentDefinition {
  return isRecord(subject) && 'pattern' in subject && 'toolset' in subject
}

function isEntry(subject: unknown): subject is JournalEntry {
  return (
    isRecord(subject) && typeof subject['type'] === 'string' && !('payload' in subject) && 'at' in subject
  )
}

function isEvent(subject: unknown): subject is RunEvent {
  return isRecord(subject) && typeof subject['type'] === 'string' && isRecord(subject['payload'])
}
