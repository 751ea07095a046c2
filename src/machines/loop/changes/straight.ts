/**
 * The straight way: where nobody is to be asked, told or waited for, a step goes on to what would come of it at the
 * gates. They ask one question after the other, and stay for everybody else.
 */
import type { ModelReply } from '../../../actors/chat-model.ts'
import { hasBackground } from './background.ts'
import { isAnswer, type LoopContext } from './context.ts'
import { isRepeatingItself } from './record.ts'

/** Neither reviewed nor scored, and nothing is at work in the background or unheard of. */
function isUnquestioned(context: LoopContext): boolean {
  const { hooks, completion } = context.input.profile
  return (
    hooks.onIterationComplete === undefined &&
    completion === undefined &&
    context.background.news.length === 0 &&
    !hasBackground(context)
  )
}

/** The reply is the answer, which nobody keeps and nobody is told of. */
export function answersForGood(context: LoopContext, reply: ModelReply): boolean {
  const { hooks, memory } = context.input.profile
  return isAnswer(reply) && hooks.onFinish === undefined && memory === undefined && isUnquestioned(context)
}

/** After the calls of this step the model speaks again. */
export function goesOn(context: LoopContext): boolean {
  const { hooks } = context.input.profile
  return (
    hooks.stopWhen === undefined &&
    context.step < context.input.maxSteps &&
    !isRepeatingItself(context) &&
    isUnquestioned(context)
  )
}
