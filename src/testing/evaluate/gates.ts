/** Gates: what must hold of all cases together, for a pipeline that lets a change pass or not. */
import type { Usage } from '../../actors/usage.ts'
import type { EvaluationGates } from './options.ts'

/** One gate, and the value that was held against it. */
export interface GateReport {
  /** `passed`, `tokens`, or the id of a scorer after `scores.`. */
  readonly gate: string
  readonly limit: number
  /** `undefined`: there is none, as no scorer gave a score. */
  readonly value: number | undefined
  readonly passed: boolean
  /** A sentence with the limit and the value. */
  readonly reason: string
}

interface Sums {
  readonly cases: readonly { readonly passed: boolean }[]
  readonly scores: Readonly<Record<string, { readonly mean: number | undefined }>>
  readonly usage: Usage
}

export function gatesOf(
  { cases, scores, usage }: Sums,
  { passed = 1, scores: means = {}, tokens }: EvaluationGates,
): readonly GateReport[] {
  const share = cases.length === 0 ? 1 : cases.filter((one) => one.passed).length / cases.length
  return [
    atLeast('passed', 'The share of cases that passed', passed, share),
    ...Object.entries(means).map(([id, least]) =>
      atLeast(`scores.${id}`, `The mean of "${id}"`, least, scores[id]?.mean),
    ),
    ...(tokens === undefined ? [] : [atMost('tokens', 'The number of tokens', tokens, usage.totalTokens)]),
  ]
}

/** 0.8 - 0.1 is more than 0.7 to a machine. */
const rounding = 1e-9

export function atLeast(gate: string, what: string, limit: number, value: number | undefined): GateReport {
  const passed = value !== undefined && value >= limit - rounding
  return { gate, limit, value, passed, reason: sentence(what, value, 'least', limit) }
}

export function atMost(gate: string, what: string, limit: number, value: number | undefined): GateReport {
  const passed = value !== undefined && value <= limit + rounding
  return { gate, limit, value, passed, reason: sentence(what, value, 'most', limit) }
}

function sentence(what: string, value: number | undefined, bound: 'least' | 'most', limit: number): string {
  return `${what} is ${value === undefined ? 'not known' : rounded(value)}; it may be ${rounded(limit)} at ${bound}.`
}

/** As a person reads it. */
function rounded(value: number): string {
  return String(Number(value.toFixed(3)))
}
