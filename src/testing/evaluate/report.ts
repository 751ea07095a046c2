/** The report of an evaluation: each case, and all of them in sum. */
import { addUsage, noUsage, type Usage } from '../../actors/usage.ts'
import { visibleText } from '../../actors/values/visible-text.ts'
import type { FinalResult } from '../../runtime/handle/result.ts'
import type { Problem } from '../../runtime/report.ts'
import type { EvaluationTurn } from './conversation.ts'
import { gatesOf, type GateReport } from './gates.ts'
import type { EvaluationGates } from './options.ts'
import type { UnrecordedCall } from './recorded-tools.ts'
import type { CaseScore } from './scoring.ts'
import type { ToolRecord } from './tool-recording.ts'

/** The result of one case. */
export interface CaseReport {
  readonly name: string
  readonly passed: boolean
  /** Why the case has not passed, a sentence each. */
  readonly reasons: readonly string[]
  /** Of the last turn. */
  readonly result: FinalResult
  /** Each message of the user with its answer: one, where the case has no `user`. */
  readonly turns: readonly EvaluationTurn[]
  /** What the user itself has used, where its messages tell it. */
  readonly userUsage: Usage
  readonly scores: readonly CaseScore[]
  /** The calls of tools in all turns. */
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
  /** Whether all gates hold. Without `gates`: whether every case has passed. */
  readonly passed: boolean
  readonly gates: readonly GateReport[]
  readonly cases: readonly CaseReport[]
  /** By the ids of the scorers. */
  readonly scores: Readonly<Record<string, ScorerSummary>>
  /** Of all turns of all cases, without their users. */
  readonly usage: Usage
}

/** `gates`: what must hold of all cases together. */
export function reportOf(cases: readonly CaseReport[], gates: EvaluationGates): EvaluationReport {
  const scores = Map.groupBy(
    cases.flatMap((one) => one.scores),
    ({ scorer }) => scorer,
  )
  const sums = Object.fromEntries([...scores].map(([scorer, all]) => [scorer, summaryOf(all)]))
  const usage = cases.map(usageOf).reduce(addUsage, noUsage)
  const held = gatesOf({ cases, scores: sums, usage }, gates)
  return { passed: held.every(({ passed }) => passed), gates: held, cases, scores: sums, usage }
}

/** Of all turns of a case. */
export function usageOf({ turns }: Pick<CaseReport, 'turns'>): Usage {
  return turns.map(({ result: { usage } }) => withoutAgents(usage)).reduce(addUsage, noUsage)
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

/** The report as a table in Markdown, and below it the reasons of the cases and gates that have not passed. */
export function formatEvaluation({ cases, scores, gates, usage }: EvaluationReport): string {
  const scorers = Object.keys(scores)
  const heads = ['case', 'passed', 'outcome', ...scorers, 'tokens']
  const rows = cases.map((one) => [
    one.name,
    one.passed ? 'yes' : 'no',
    one.result.outcome,
    ...scorers.map((scorer) => shown(one.scores.find((score) => score.scorer === scorer)?.score)),
    String(usageOf(one).totalTokens),
  ])
  const passed = `${cases.filter((one) => one.passed).length} of ${cases.length}`
  const sum = [
    'all',
    passed,
    '',
    ...scorers.map((scorer) => shown(scores[scorer]?.mean)),
    String(usage.totalTokens),
  ]
  const lines = [
    ...cases.flatMap(({ name, reasons }) => reasons.map((reason) => `${name}: ${reason}`)),
    ...gates.filter((gate) => !gate.passed && !isOfCases(gate)).map(({ reason }) => reason),
  ]
  const list = lines.map((line) => `- ${inOneLine(line)}\n`).join('')
  const table = tableOf([heads, ...rows, sum])
  return list === '' ? table : `${table}\n${list}`
}

/** Every case must pass, and the cases that have not passed say why. */
function isOfCases({ gate, limit }: GateReport): boolean {
  return gate === 'passed' && limit === 1
}

/** Rows as a table in Markdown, the heads first. */
export function tableOf([heads = [], ...rows]: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cellOf).join(' | ')} |\n`)
    .join('')
}

export function shown(score: number | undefined): string {
  return score === undefined ? '-' : score.toFixed(2)
}

function cellOf(text: string): string {
  return inOneLine(text).replaceAll('|', '\\|')
}

/** A line feed would end the row, or the item of the list. Marks that a terminal obeys are shown as codes. */
export function inOneLine(text: string): string {
  return visibleText(text.replace(/\s+/g, ' ').trim())
}
