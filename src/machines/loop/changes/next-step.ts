/** May another step follow? Then the model may be told why, and otherwise the agent ends as exhausted. */
import { saysAnything } from '../../../actors/content/content.ts'
import { event, type MachineEvent } from '../../contract/events.ts'
import type { Ending, LoopChange, LoopContext } from './context.ts'
import { hasFeedback, hasUnread, isAccepted, isUnmet } from './predicates.ts'
import { isRepeatingItself, noticeMessage, scoringMessage } from './record.ts'

/** The cap on the steps, by the name of its option. */
type Cap = 'maxSteps' | 'maxIterations'

/** The end of an agent that may not begin another step; `undefined`: it may. */
export function exhaustionOf(context: LoopContext, cap: Cap = 'maxSteps'): Ending | undefined {
  const isAtCap = context.step >= context.input.maxSteps
  if (isAccepted(context)) return isAtCap && hasUnread(context) ? exhausted(cap) : undefined
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

interface Reason {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
}

/** The feedback of the scorers, or a request for an answer after an empty reply; otherwise nothing. */
export function reasonForNextStep(context: LoopContext): Reason {
  if (sendsScoringFeedback(context)) {
    const message = context.verdict.scoring?.feedback ?? ''
    return {
      change: { messages: context.messages.append(scoringMessage(message)) },
      events: [event('iteration-feedback', { iteration: context.step, message })],
    }
  }
  return { change: wasEmpty(context) ? askAgain(context) : {}, events: [] }
}

function askAgain(context: LoopContext): LoopChange {
  const { toolset, toolChoice } = context.input.profile
  if (toolset.names.length === 0 || toolChoice === 'none') return askForAnswer(context)
  return withNotice(context, 'Your last reply was empty. Answer the task, or call one of your tools.')
}

/** Asks a model that can only answer. */
export function askForAnswer(context: LoopContext): LoopChange {
  return withNotice(context, 'Your last reply was empty. Answer the task.')
}

function withNotice({ messages }: LoopContext, notice: string): LoopChange {
  return { messages: messages.append(noticeMessage(notice)) }
}

function sendsScoringFeedback(context: LoopContext): boolean {
  return isUnmet(context) && context.input.profile.completion?.feedbackToLLM === true
}

function wasEmpty({ calls, reply }: LoopContext): boolean {
  return calls.length === 0 && reply !== undefined && !saysAnything(reply)
}
