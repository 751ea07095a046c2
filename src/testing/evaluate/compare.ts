/** Two evaluations of the same cases side by side: today's version and a candidate. */
import { aShare, listOf, anything, notNegative, recordOf } from '../../actors/strict/checks.ts'
import {
  anObject,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Outcome } from '../../machines/contract/records.ts'
import { atLeast, atMost, type GateReport } from './gates.ts'
import { inOneLine, shown, tableOf, usageOf, type EvaluationReport } from './report.ts'
import { keyOfCall } from './tool-recording.ts'

/** What a candidate may lose beside the version before it. */
export interface ComparisonGates {
  /** The most that the share of passed cases may fall. Default: 0. */
  readonly passed?: number
  /** The most that the mean of a scorer may fall, by its id. */
  readonly scores?: Readonly<Record<string, number>>
  /** The most that the tokens may grow, as a share of those before. */
  readonly tokens?: number
}

/** The options of `compareEvaluations`. */
export interface CompareOptions {
  /** Default: no case may be lost. */
  readonly gates?: ComparisonGates
}

/** One case in one of the two reports. */
export interface ComparedSide {
  readonly passed: boolean
  readonly outcome: Outcome
  /** By the ids of the scorers. */
  readonly scores: Readonly<Record<string, number | undefined>>
  readonly tokens: number
}

/** One case in both reports; a side is absent where its report does not have the case. */
export interface ComparedCase {
  readonly name: string
  readonly before?: ComparedSide
  readonly after?: ComparedSide
  /** Calls of tools, with their arguments, that only one of the two made. */
  readonly calls: { readonly before: readonly string[]; readonly after: readonly string[] }
}

/** Two reports, case by case. */
export interface EvaluationComparison {
  /** Whether all gates hold. */
  readonly passed: boolean
  readonly gates: readonly GateReport[]
  readonly cases: readonly ComparedCase[]
  /** The means, by the ids of the scorers. */
  readonly scores: Readonly<
    Record<string, { readonly before: number | undefined; readonly after: number | undefined }>
  >
  readonly tokens: { readonly before: number; readonly after: number }
}

const gateFields: Fields<ComparisonGates> = {
  passed: optional(aShare),
  scores: optional(recordOf(aShare, 'a record of numbers from 0 to 1')),
  tokens: optional(notNegative),
}

const fields = {
  gates: withDefault(anObject(gateFields, { expected: 'gates' }), {}),
} satisfies Fields<CompareOptions>

/** A report may come from a file. */
const readReport = anObject<Pick<EvaluationReport, 'cases' | 'scores' | 'usage'>>(
  {
    cases: required(listOf(anything, 'a list of cases')),
    scores: required(anything),
    usage: required(anything),
    ...({ passed: optional(anything), gates: optional(anything) } as object),
  },
  { expected: 'a report of evaluate' },
)

/**
 * Compares two reports by the names of their cases: what passed, the scores, the outcomes, the calls of tools and the tokens.
 * Both are reports of `evaluate`, or such reports read from JSON. Throws a `ConfigurationError` for another value.
 */
export function compareEvaluations(
  before: EvaluationReport,
  after: EvaluationReport,
  options: CompareOptions = {},
): EvaluationComparison {
  const where = 'compareEvaluations'
  readReport(before, `${where}: before`)
  readReport(after, `${where}: after`)
  const { gates = {} } = readOptions<CompareOptions>(options, where, fields)
  const names = [...new Set([...before.cases, ...after.cases].map(({ name }) => name))]
  const ids = [...new Set([...Object.keys(before.scores), ...Object.keys(after.scores)])]
  const scores = Object.fromEntries(
    ids.map((id) => [id, { before: before.scores[id]?.mean, after: after.scores[id]?.mean }]),
  )
  const unknown = Object.keys(gates.scores ?? {}).find((id) => !ids.includes(id))
  if (unknown !== undefined)
    throw new ConfigurationError(
      `${where}: gates.scores: there is no scorer "${unknown}". Known: ${ids.join(', ') || 'none'}.`,
    )
  const tokens = { before: before.usage.totalTokens, after: after.usage.totalTokens }
  const held = [
    atLeast('passed', 'The share of cases that passed', share(before) - (gates.passed ?? 0), share(after)),
    ...Object.entries(gates.scores ?? {}).map(([id, fall]) =>
      atLeast(`scores.${id}`, `The mean of "${id}"`, (scores[id]?.before ?? 0) - fall, scores[id]?.after),
    ),
    ...(gates.tokens === undefined
      ? []
      : [atMost('tokens', 'The number of tokens', tokens.before * (1 + gates.tokens), tokens.after)]),
  ]
  return {
    passed: held.every(({ passed }) => passed),
    gates: held,
    cases: names.map((name) => comparedCase(name, before, after)),
    scores,
    tokens,
  }
}

function share({ cases }: EvaluationReport): number {
  return cases.length === 0 ? 1 : cases.filter(({ passed }) => passed).length / cases.length
}

function comparedCase(name: string, before: EvaluationReport, after: EvaluationReport): ComparedCase {
  const [first, second] = [before, after].map(({ cases }) => cases.find((one) => one.name === name))
  const calls = (one = first) => (one?.calls ?? []).map(keyOfCall)
  return {
    name,
    ...(first === undefined ? {} : { before: sideOf(first) }),
    ...(second === undefined ? {} : { after: sideOf(second) }),
    calls: { before: without(calls(first), calls(second)), after: without(calls(second), calls(first)) },
  }
}

function sideOf(one: EvaluationReport['cases'][number]): ComparedSide {
  return {
    passed: one.passed,
    outcome: one.result.outcome,
    scores: Object.fromEntries(one.scores.map(({ scorer, score }) => [scorer, score])),
    tokens: usageOf(one).totalTokens,
  }
}

/** Each call counts as often as it was made. */
function without(calls: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return calls.filter((call) => {
    const at = left.indexOf(call)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** The comparison as a table in Markdown, and below it the calls that differ, and the gates that do not hold. */
export function formatComparison({ cases, scores, tokens, gates }: EvaluationComparison): string {
  const ids = Object.keys(scores)
  const both = <Value>(
    before: Value | undefined,
    after: Value | undefined,
    show: (value: Value) => string,
  ): string => {
    const [left, right] = [before, after].map((value) => (value === undefined ? '-' : show(value)))
    return left === right ? String(left) : `${left} → ${right}`
  }
  const yes = (passed: boolean): string => (passed ? 'yes' : 'no')
  const table = tableOf([
    ['case', 'passed', 'outcome', ...ids, 'tokens'],
    ...cases.map(({ name, before, after }) => [
      name,
      both(before?.passed, after?.passed, yes),
      both(before?.outcome, after?.outcome, String),
      ...ids.map((id) => both(before?.scores[id], after?.scores[id], shown)),
      both(before?.tokens, after?.tokens, String),
    ]),
    [
      'all',
      both(countOf(cases, 'before'), countOf(cases, 'after'), String),
      '',
      ...ids.map((id) => both(scores[id]?.before, scores[id]?.after, shown)),
      both(tokens.before, tokens.after, String),
    ],
  ])
  const lines = [
    ...cases.flatMap(({ name, calls }) => [
      ...calls.before.map((call) => `${name}: the call ${call} is made no more.`),
      ...calls.after.map((call) => `${name}: the call ${call} is new.`),
    ]),
    ...gates.filter(({ passed }) => !passed).map(({ reason }) => reason),
  ]
  return lines.length === 0 ? table : `${table}\n${lines.map((line) => `- ${inOneLine(line)}\n`).join('')}`
}

function countOf(cases: readonly ComparedCase[], side: 'before' | 'after'): string {
  const there = cases.flatMap((one) => one[side] ?? [])
  return `${there.filter(({ passed }) => passed).length} of ${there.length}`
}
