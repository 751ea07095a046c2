/** Why an agent may not begin another step. */
import { hasFeedback, hasNotices, isAccepted, isUnmet } from './predicates.ts'
import type { Ending, LoopContext } from './context.ts'
import { isRepeatingItself } from './record.ts'

/** The cap on the steps, by the name of its option. */
type Cap = 'maxSteps' | 'maxIterations'

/** The end of an agent that may not begin another step; `undefined`: it may. */
export function exhaustionOf(context: LoopContext, cap: Cap = 'maxSteps'): Ending | undefined {
  const isAtCap = context.step >= context.input.maxSteps
  if (isAccepted(context)) return isAtCap && hasNotices(context) ? exhausted(cap) : undefined
  if (wasCutOff(context)) return exhausted('length')
  if (isUnmet(context) && isAtCap) return exhausted('completion')
  if (isRepeatingItself(context)) return exhausted('loop')
  return isAtCap ? exhausted(cap) : undefined
}

/** An agent that is exhausted already stays so for the same reason. */
export function exhaust(context: LoopContext, cap: Cap = 'maxSteps'): Pick<LoopContext, 'ending'> {
  if (context.ending.outcome === 'exhausted') return { ending: context.ending }
  return { ending: exhaustionOf(context, cap) ?? exhausted(cap) }
}

function exhausted(reason: string): Ending {
  return { outcome: 'exhausted', reason }
}

/** The reply is an answer that the provider cut off. */
function wasCutOff({ reply, calls, verdict }: LoopContext): boolean {
  return reply?.finishReason === 'length' && calls.length === 0 && !hasFeedback(verdict.review)
}
