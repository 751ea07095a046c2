/** Performs `scorer` effects: a number from 0 to 1, or an error. */
import type { EffectInput, EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import { aShare, aText } from '../../../actors/strict/checks.ts'
import { withSignal } from '../../../actors/values/own-getters.ts'
import type { Score } from '../../../actors/scorer.ts'
import {
  anObject,
  optional,
  required,
  type Fields,
  type Reader,
} from '../../../actors/strict/read-options.ts'
import { ConfigurationError, TerminalError, toErrorData } from '../../../errors.ts'
import type { PerformContext } from './context.ts'

export async function performScorer(
  input: EffectInput<'scorer'>,
  context: PerformContext,
): Promise<EffectOutcome<'scorer'>> {
  const { completion } = context.options(input.scope, input.agent)
  const scorer = completion?.scorers.find((candidate) => candidate.id === input.scorer)
  if (scorer === undefined) throw new ConfigurationError(`There is no scorer "${input.scorer}".`)
  const run = { input: input.task, output: input.answer }
  const { iteration } = input
  const given = { ...run, run, messages: input.messages.toArray(), iteration }
  const answer: unknown = await scorer.score(withSignal(given, context))
  const { score, reason } = readScore(answer, `The answer of the scorer "${input.scorer}"`)
  return reason === undefined ? { score } : { score, reason }
}

/** `null` counts as no reason. */
const orNothing: Reader = (given, where) => (given === null ? undefined : aText(given, where))

const fields: Fields<Exclude<Score, number>> = { score: required(aShare), reason: optional(orNothing) }

const readFields = anObject<Exclude<Score, number>>(fields, {
  expected: 'a number from 0 to 1, or { score, reason }',
  word: 'field',
})

/** Throws a `TerminalError`, code `INVALID_SCORE`. */
export function readScore(answer: unknown, where: string): Exclude<Score, number> {
  try {
    return readFields(typeof answer === 'number' ? { score: answer } : answer, where)
  } catch (error) {
    throw new TerminalError(toErrorData(error).message, { code: 'INVALID_SCORE' })
  }
}
