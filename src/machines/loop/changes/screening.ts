/**
 * Records the progress of processors, and the replies that they accept or refuse, as pure functions from context to
 * change. Until the processors accept it, a reply is a draft that is shown nowhere else.
 */
import { AppendLog } from '../../../actors/values/append-log.ts'
import type { EffectOutcome, HookOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { Message } from '../../../actors/message.ts'
import { unsigned, type SignedReply } from '../../../actors/messages/provider-data.ts'
import { timeoutCodes } from '../../../actors/timeouts.ts'
import type { ErrorData } from '../../../errors.ts'
import type { LoopChange, Ending, LoopContext, Screening } from './context.ts'
import { measuredBy } from './window.ts'
import { answeredAttempts, noticeMessage, paid, takeLastWord, takeReply } from './record.ts'

/** Records a draft: only its usage counts so far. */
export function recordDraft(
  context: LoopContext,
  { screening, ...reply }: EffectOutcome<'model'>,
): LoopChange {
  return {
    reply,
    attempts: answeredAttempts(context, reply),
    measured: measuredBy(context, reply.usage),
    ledger: paid(context, reply.usage),
    screening: {
      next: 0,
      text: reply.text,
      failures: screening?.failures ?? [],
      tripwire: screening?.tripwire,
    },
  }
}

/** Records the progress of the output processors. */
export function recordScreening(answer: HookOutcome<'processOutput'>): LoopChange {
  return { screening: screeningOf(answer.text, answer) }
}

/** Records the progress of the input processors, and the opening messages as they changed them. */
export function recordInput({ messages }: LoopContext, answer: HookOutcome<'processInput'>): LoopChange {
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

/** A processor that timed out fails alone: the others are still called. */
export function failProcessor(context: LoopContext, error: ErrorData): LoopChange {
  return error.code === timeoutCodes.other ? timeOutProcessor(context, error) : failScreening(context, error)
}

/** The processors could not be called, or their answer was invalid: all of them have failed. */
function failScreening({ screening, reply }: LoopContext, error: ErrorData): LoopChange {
  const text = screening?.text ?? reply?.text ?? ''
  return { screening: { next: Infinity, text, failures: [error], tripwire: undefined } }
}

function timeOutProcessor({ screening, reply }: LoopContext, error: ErrorData): LoopChange {
  const { next = 0, text = reply?.text ?? '' } = screening ?? {}
  return { screening: { next: next + 1, text, failures: [error], tripwire: undefined } }
}

/** Ignores a processor that threw, as if it were absent. */
export function ignoreProcessorError({ screening }: LoopContext): LoopChange {
  return screening === undefined ? {} : { screening: { ...screening, failures: screening.failures.slice(1) } }
}

export function acceptDraft(context: LoopContext): LoopChange {
  const passed = passedOf(context)
  return { drafts: passed.drafts, ...takeReply(passed, passed.reply) }
}

export function acceptLastWord(context: LoopContext): LoopChange {
  const passed = passedOf(context)
  return { drafts: passed.drafts, ...takeLastWord(passed, passed.reply) }
}

/** A draft whose text was changed at the end may have been streamed as it was: it becomes a message of its own. */
function passedOf(context: LoopContext) {
  const reply = screenedReply(context)
  const drafts = reply.text === context.reply?.text ? context.drafts : context.drafts + 1
  return { ...context, drafts, reply }
}

/** The draft with the text that the processors made of it. */
export function screenedReply({ reply, screening }: LoopContext): SignedReply {
  return { ...(reply as SignedReply), text: screening?.text ?? '' }
}

/** Nothing of a refused draft is kept: no message, no call, no text. */
export function dropDraft({ reply }: LoopContext): LoopChange {
  if (reply === undefined) return {}
  const { reasoning: _reasoning, files: _files, sources: _sources, ...rest } = unsigned(reply)
  return { reply: { ...rest, text: '', toolCalls: [] } }
}

/** Calls the model again in the same step. The refused reply is not shown to it, nor to the agents below it. */
export function askAgain(context: LoopContext): LoopChange {
  const notice = `Your last reply was not accepted: ${context.screening?.tripwire?.reason}\nReply again.`
  return {
    attempts: { ...context.attempts, refusals: context.attempts.refusals + 1 },
    drafts: context.drafts + 1,
    reply: undefined,
    screening: undefined,
    messages: context.messages.append(noticeMessage(notice)),
  }
}

/** The error of a processor that failed, or of the one that refused. */
export function rejection(context: LoopContext): ErrorData {
  return context.screening?.failures[0] ?? refusal(context)
}

/** The ending of an agent whose processor has failed or refused. */
export function rejectedEnding(context: LoopContext): Ending {
  const error = context.screening?.failures[0]
  return error === undefined ? tripped(context) : { outcome: 'failed', error }
}

function tripped(context: LoopContext): Ending {
  const reason = context.screening?.tripwire?.reason ?? 'unknown'
  return { outcome: 'tripped', reason, error: refusal(context) }
}

export function refusal({ screening }: LoopContext): ErrorData {
  const { processor, reason } = screening?.tripwire ?? {}
  const message = `The processor "${processor}" refused: ${reason}`
  return { name: 'TrippedError', code: 'TRIPPED', message }
}
