/** Tells the model why another step follows. */
import { event, type MachineEvent } from '../../contract/events.ts'
import type { LoopChange, LoopContext } from './context.ts'
import { isUnmet } from './predicates.ts'
import { noticeMessage, scoringMessage } from './record.ts'

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
  return { change: wasEmpty(context) ? askForAnswer(context) : {}, events: [] }
}

export function askForAnswer({ messages }: LoopContext): LoopChange {
  return {
    messages: messages.append(
      noticeMessage('Your last reply was empty. Answer the task, or call one of your tools.'),
    ),
  }
}

function sendsScoringFeedback(context: LoopContext): boolean {
  return isUnmet(context) && context.input.profile.completion?.feedbackToLLM === true
}

function wasEmpty({ calls, reply }: LoopContext): boolean {
  return calls.length === 0 && reply?.text.trim() === ''
}
