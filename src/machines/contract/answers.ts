/** Answers of people: as events say them, and as the model reads of arguments that a person has changed. */
import { filesOf, textAlone, withFiles, type Content } from '../../actors/content/content.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import type { AnswerPayload } from './events.ts'

/** An answer, as the actor that asked receives it. */
type Answer = Omit<AnswerPayload, 'type'>

export function answerPayload(type: AnswerPayload['type'], answer: Answer): AnswerPayload {
  const { approved, by, note, answerId, reason, data, args, always } = answer
  return {
    type,
    approved,
    ...(by === undefined ? {} : { by }),
    ...(note === undefined ? {} : { note }),
    ...(answerId === undefined ? {} : { answerId }),
    ...(reason === undefined ? {} : { reason }),
    ...(data === undefined ? {} : { data }),
    ...(args === undefined ? {} : { args }),
    ...(always === undefined ? {} : { always }),
  }
}

/** Whether the answer approves the call with other arguments. */
export function changesArguments({ approved, args }: Answer): boolean {
  return approved && args !== undefined
}

/**
 * The result of a call whose arguments a person has changed, as the model reads it. The call stays in the conversation
 * as the model has made it: some providers sign their calls.
 */
export function withChangedArguments(content: Content, args: JsonValue): Content {
  const text = `A person changed the arguments of this call before it ran. It ran with ${JSON.stringify(args)}.`
  return withFiles(`${text}\n\n${textAlone(content)}`, filesOf(content))
}

/** The error of changed arguments that do not fit: the question stays open. */
export function misfitOf(toolName: string, problem: string): ErrorData {
  const message = `The changed arguments of "${toolName}" were refused, and the question is asked again: ${problem}`
  return { name: 'SignalError', code: 'SIGNAL_ARGS_INVALID', message }
}

/** The error of changed arguments of a call that ends while they are being checked: it has not run. */
export function uncheckedOf(toolName: string): ErrorData {
  const message = `The changed arguments of "${toolName}" were not checked to the end: the call ended before, and did not run.`
  return { name: 'SignalError', code: 'SIGNAL_ARGS_INVALID', message }
}
