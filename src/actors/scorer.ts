/** A scorer: judges an answer with a number from 0 to 1. */
import { aFunction, anything, aShare, milliseconds } from './strict/checks.ts'
import type { Message } from './message.ts'
import { defaultsOf, optional, required, withDefault, type Fields } from './strict/read-options.ts'
import { anyHint } from './strict/hints.ts'
import { readNamed } from './strict/ids.ts'

/** The argument of `score`. */
export interface ScoringContext {
  /** The task that the run was given. */
  readonly input: string
  /** The answer to judge. */
  readonly output: string
  /** `input` and `output` again, under one name. */
  readonly run: { readonly input: string; readonly output: string }
  readonly messages: readonly Message[]
  /** From 1. */
  readonly iteration: number
  /** Fires at the deadline of the scoring, or when the run is cancelled. */
  readonly signal: AbortSignal
}

/** The answer of a scorer: a number from 0 to 1, or one with its reason. */
export type Score = number | { readonly score: number; readonly reason?: string }

/** The definition of a scorer. */
export interface ScorerConfig {
  readonly id: string
  /** The least score that passes, from 0 to 1. Default: 1. */
  readonly threshold?: number
  /**
   * Milliseconds after which the scorer is `errored` (`HOOK_TIMEOUT`). The timeout that all scorers of a completion
   * share applies too. Default: the agent's `hookTimeout`.
   */
  readonly timeout?: number
  /** A throw, a timeout or a number outside 0..1 is `errored`, which is not a score of 0 and never a pass. */
  readonly score: (context: ScoringContext) => Score | Promise<Score>
}

/** A scorer, from `createScorer`. */
export interface Scorer {
  readonly id: string
  readonly threshold: number
  readonly timeout: number | undefined
  score(context: ScoringContext): Score | Promise<Score>
}

const fields = {
  id: required(anything),
  threshold: withDefault(aShare, 1),
  timeout: optional(milliseconds),
  score: required(aFunction),
} satisfies Fields<ScorerConfig>

/** Defines a scorer. Throws a `ConfigurationError` for a bad id or a threshold outside 0..1. */
export function createScorer(config: ScorerConfig): Scorer {
  const { read } = readNamed<ScorerConfig>(config, 'createScorer', fields, anyHint)
  const { id, threshold, timeout, score } = { ...defaultsOf(fields), ...read }
  return { id, threshold, timeout, score: (context) => score.call(config, context) }
}
