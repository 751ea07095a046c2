/** Performs `scorer` effects: a number from 0 to 1, or an error. */
import type { EffectInput, EffectOutcome } from '../../actors/effect-kinds.ts'
import { ConfigurationError, TerminalError } from '../../errors.ts'
import type { PerformContext } from './context.ts'

export async function performScorer(
  input: EffectInput<'scorer'>,
  context: PerformContext,
): Promise<EffectOutcome<'scorer'>> {
  const { completion } = context.options(input.scope, input.agent)
  const scorer = completion?.scorers.find((candidate) => candidate.id === input.scorer)
  if (scorer === undefined) throw new ConfigurationError(`There is no scorer "${input.scorer}".`)
  const answer: unknown = await scorer.score({
    input: input.task,
    output: input.answer,
    messages: input.messages.toArray(),
    iteration: input.iteration,
    get signal() {
      return context.signal
    },
  })
  const { score, reason } = (typeof answer === 'object' && answer !== null ? answer : { score: answer }) as {
    score?: unknown
    reason?: unknown
  }
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    throw new TerminalError(`The scorer "${input.scorer}" must answer with a number from 0 to 1.`, {
      code: 'INVALID_SCORE',
    })
  }
  if (reason != null && typeof reason !== 'string') {
    throw new TerminalError(
      `The reason of the scorer "${input.scorer}" must be a string, not a ${typeof reason}.`,
      {
        code: 'INVALID_SCORE',
      },
    )
  }
  return reason == null ? { score } : { score, reason }
}
