/**
 * Shortcuts: a step without hooks, scorers and background work skips the states that would decide about them. Those
 * states give the same result, one question after the other.
 */
import type { ModelReply } from '../../../actors/chat-model.ts'
import { hasBackground } from './background.ts'
import { isAnswer, type LoopContext } from './context.ts'
import { hasUnread } from './predicates.ts'
import { isRepeatingItself } from './record.ts'

/** The step is neither reviewed nor scored, no work is open in the background, and nothing is unread. */
function isUnquestioned(context: LoopContext): boolean {
  const { hooks, completion } = context.input.profile
  return (
    hooks.onIterationComplete === undefined &&
    completion === undefined &&
    !hasUnread(context) &&
    !hasBackground(context)
  )
}

/** The reply is the answer, no memory saves it, and no hook observes it. */
export function isFinalAnswer(context: LoopContext, reply: ModelReply): boolean {
  const { hooks, memory } = context.input.profile
  return isAnswer(reply) && hooks.onFinish === undefined && memory === undefined && isUnquestioned(context)
}

/** After the calls of this step the model is called again. */
export function goesOn(context: LoopContext): boolean {
  const { hooks } = context.input.profile
  return (
    hooks.stopWhen === undefined &&
    context.step < context.input.maxSteps &&
    !isRepeatingItself(context) &&
    isUnquestioned(context)
  )
}
