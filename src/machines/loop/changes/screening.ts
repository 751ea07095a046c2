/**
 * What the loop writes down of its processors, as pure functions from context to change: how far they came, and what
 * becomes of a reply that they accept or refuse. Until they accept it, a reply is a draft that nobody else is shown.
 */
import { AppendLog } from '../../../actors/values/append-log.ts'
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { EffectOutcome, HookOutcome } from '../../../actors/effect-kinds.ts'
import type { Message } from '../../../actors/message.ts'
import { timeoutCodes } from '../../../actors/timeouts.ts'
import type { ErrorData } from '../../../errors.ts'
import type { Ending, LoopContext, Screening } from './context.ts'
import { noticeMessage, paid, takeLastWord, takeReply } from './record.ts'

type Change = Partial<LoopContext>

/** A draft has cost what it cost, and is nothing more so far. */
export function recordDraft(context: LoopContext, { screening, ...reply }: EffectOutcome<'model'>): Change {
  return {
    reply,
    attempts: { ...context.attempts, failures: 0 },
    ledger: paid(context, reply.usage),
    screening: {
      next: 0,
      text: reply.text,
      failures: screening?.failures ?? [],
      tripwire: screening?.tripwire,
    },
  }
}

/** How far the output processors came. */
export function recordScreening(answer: HookOutcome<'processOutput'>): Change {
  return { screening: screeningOf(answer.text, answer) }
}

/** How far the input processors came, and what they made of the opening messages. */
export function recordInput({ messages }: LoopContext, answer: HookOutcome<'processInput'>): Change {
  return {
    messages: answer.messages === null ? messages : AppendLog.of<Message>(answer.messages),
    screening: screeningOf('', answer),
  }
}

function screeningOf(
  text: string,
  { next, failure, tripwire }: Omit<HookOutcome<'processOutput'>, 'text'>,
): Screening {
  return { next, text, failures: failure === null ? [] : [failure], tripwire: tripwire ?? undefined }
}

/** A processor that did not answer in time has failed alone: the others are still to be asked. */
export function failProcessor(context: LoopContext, error: ErrorData): Change {
  return error.code === timeoutCodes.other ? timeOutProcessor(context, error) : failScreening(context, error)
}

/** The chain could not be asked at all, or its answer was none: then the whole of it has failed. */
function failScreening({ screening, reply }: LoopContext, error: ErrorData): Change {
  const text = screening?.text ?? reply?.text ?? ''
  return { screening: { next: Infinity, text, failures: [error], tripwire: undefined } }
}

function timeOutProcessor({ screening, reply }: LoopContext, error: ErrorData): Change {
  const { next = 0, text = reply?.text ?? '' } = screening ?? {}
  return { screening: { next: next + 1, text, failures: [error], tripwire: undefined } }
}

/** A processor that threw counts as absent. */
export function forgive({ screening }: LoopContext): Change {
  return screening === undefined ? {} : { screening: { ...screening, failures: screening.failures.slice(1) } }
}

export function acceptDraft(context: LoopContext): Change {
  const passed = passedOf(context)
  return { drafts: passed.drafts, ...takeReply(passed, passed.reply) }
}

export function acceptLastWord(context: LoopContext): Change {
  const passed = passedOf(context)
  return { drafts: passed.drafts, ...takeLastWord(passed, passed.reply) }
}

/** A draft whose text was changed at the end may have been streamed as it was: it becomes a message of its own. */
function passedOf(context: LoopContext) {
  const reply = screenedReply(context)
  const drafts = reply.text === context.reply?.text ? context.drafts : context.drafts + 1
  return { ...context, drafts, reply }
}

/** The draft as the processors have it. */
export function screenedReply({ reply, screening }: LoopContext): ModelReply {
  return { ...(reply as ModelReply), text: screening?.text ?? '' }
}

/** Nothing of a refused draft is kept: no message, no call, no text. */
export function dropDraft({ reply }: LoopContext): Change {
  if (reply === undefined) return {}
  const { reasoning: _reasoning, ...rest } = reply
  return { reply: { ...rest, text: '', toolCalls: [] } }
}

/** The model speaks again in the same step. What was refused is not shown to it, nor to the agents below it. */
export function askAgain(context: LoopContext): Change {
  const notice = `Your last reply was not accepted: ${context.screening?.tripwire?.reason}\nReply again.`
  return {
    attempts: { ...context.attempts, refusals: context.attempts.refusals + 1 },
    drafts: context.drafts + 1,
    reply: undefined,
    screening: undefined,
    messages: context.messages.append(noticeMessage(notice)),
  }
}

/** How an agent ends whose processor has refused. */
export function tripped(context: LoopContext): Ending {
  const reason = context.screening?.tripwire?.reason ?? 'unknown'
  return { outcome: 'tripped', reason, error: refusal(context) }
}

export function refusal({ screening }: LoopContext): ErrorData {
  const { processor, reason } = screening?.tripwire ?? {}
  const message = `The processor "${processor}" refused: ${reason}`
  return { name: 'TrippedError', code: 'TRIPPED', message }
}
