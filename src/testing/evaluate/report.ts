/** The report of an evaluation: each case, and all of them in sum. */
import { addUsage, noUsage, type Usage } from '../../actors/usage.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import type { Problem } from '../../runtime/report.ts'
import type { UnrecordedCall } from './recorded-tools.ts'
import type { CaseScore } from './scoring.ts'
import type { ToolRecord } from './tool-recording.ts'

/** The result of one case. */
export interface CaseReport {
  readonly name: string
  readonly passed: boolean
  /** Why the case has not passed, a sentence each. */
  readonly reasons: readonly string[]
  readonly result: FinalResult
  readonly scores: readonly CaseScore[]
  /** The calls of tools in the run. */
  readonly calls: readonly ToolRecord[]
  /** How many of them the recording answered, and how many ran their tool. */
  readonly replayed: number
  readonly ran: number
  /** Calls that the recording does not have, and that did not run. */
  readonly unrecorded: readonly UnrecordedCall[]
  /** Recorded calls that the run did not make. */
  readonly unused: readonly ToolRecord[]
  /** The recording of this run, for the next evaluation. */
  readonly recording: string
  /** Errors of hooks and other functions that no caller received. */
  readonly problems: readonly Problem[]
}

/** The scores of one scorer over all cases. */
export interface ScorerSummary {
  /** The mean of the scores; `undefined`: there is none. */
  readonly mean: number | undefined
  readonly passed: number
  readonly failed: number
  /** Of the failed ones: the scorer threw, or its answer was no score. */
  readonly errored: number
}

/** The results of all cases. */
export interface EvaluationReport {
  /** Whether every case has passed. */
  readonly passed: boolean
  readonly cases: readonly CaseReport[]
  /** By the ids of the scorers. */
  readonly scores: Readonly<Record<string, ScorerSummary>>
  /** Of all cases. */
  readonly usage: Usage
}

export function reportOf(cases: readonly CaseReport[]): EvaluationReport {
  const scores = Map.groupBy(
    cases.flatMap((one) => one.scores),
    ({ scorer }) => scorer,
  )
  return {
    passed: cases.every(({ passed }) => passed),
    cases,
    scores: Object.fromEntries([...scores].map(([scorer, all]) => [scorer, summaryOf(all)])),
    usage: cases.map(({ result: { usage } }) => withoutAgents(usage)).reduce(addUsage, noUsage),
  }
}

function withoutAgents({ byAgent: _byAgent, ...usage }: FinalResult['usage']): Usage {
  return usage
}

function summaryOf(all: readonly CaseScore[]): ScorerSummary {
  const values = all.flatMap(({ score }) => (score === undefined ? [] : [score]))
  const passed = all.filter((one) => one.passed).length
  return {
    mean: values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length,
    passed,
    failed: all.length - passed,
    errored: all.length - values.length,
  }
}

/** The report as a table in Markdown, and below it the reasons of the cases that have not passed. */
export function formatEvaluation({ cases, scores }: EvaluationReport): string {
  const scorers = Object.keys(scores)
  const heads = ['case', 'passed', 'outcome', ...scorers, 'tokens']
  const rows = cases.map((one) => [
    one.name,
    one.passed ? 'yes' : 'no',
    one.result.outcome,
    ...scorers.map((scorer) => shown(one.scores.find((score) => score.scorer === scorer)?.score)),
    String(one.result.usage.totalTokens),
  ])
  const passed = `${cases.filter((one) => one.passed).length} of ${cases.length}`
  const tokens = cases.reduce((sum, { result }) => sum + result.usage.totalTokens, 0)
  const sum = ['all', passed, '', ...scorers.map((scorer) => shown(scores[scorer]?.mean)), String(tokens)]
  const table = [heads, heads.map(() => '---'), ...rows, sum]
    .map((cells) => `| ${cells.map(cellOf).join(' | ')} |\n`)
    .join('')
  const reasons = cases
    .flatMap(({ name, reasons }) => reasons.map((reason) => `- ${inOneLine(name)}: ${inOneLine(reason)}\n`))
    .join('')
  return reasons === '' ? table : `${table}\n${reasons}`
}

function shown(score: number | undefined): string {
  return score === undefined ? '-' : score.toFixed(2)
}

function cellOf(text: string): string {
  return inOneLine(text).replaceAll('|', '\\|')
}

/** A line feed would end the row, or the item of the list. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
