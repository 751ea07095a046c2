/** `createScorer(…).generateScore(fn)`. */
import {
  createScorer as createTroupeScorer,
  type Scorer,
  type ScorerConfig,
  type ScoringContext,
  type Score,
} from '../index.ts'
import { aName, anything, type Fields, optional, readOptions, required } from '../kit/index.ts'

/** What a scorer is called. */
export interface ScorerIdentity extends Pick<ScorerConfig, 'threshold' | 'timeout'> {
  readonly id: string
  readonly name?: string
  readonly description?: string
}

/** A scorer that has no function yet. */
export interface ScorerBuilder {
  /** Returns the scorer. The function is given `{ output }`, the same as `run.output`, and answers from 0 to 1. */
  generateScore(score: (context: ScoringContext) => Score | Promise<Score>): Scorer
}

const fields: Fields<ScorerIdentity> = {
  id: required(anything),
  name: optional(aName),
  description: optional(anything),
  threshold: optional(anything),
  timeout: optional(anything),
}

/**
 * Begins a scorer. It passes from its `threshold` on, which is 1 by default.
 * Throws a `ConfigurationError` for an unknown option; `generateScore` throws it for a bad id.
 * @experimental
 */
export function createScorer(identity: ScorerIdentity): ScorerBuilder {
  const { name: _name, description: _description, ...rest } = readOptions(identity, 'createScorer', fields)
  return { generateScore: (score) => createTroupeScorer({ ...rest, score }) }
}
