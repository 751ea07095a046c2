/** Input, context and output of a screening, and its progress as pure functions. */
import type { HookOutcome } from '../../actors/effects/effect-kinds.ts'
import type { Message, UserMessage } from '../../actors/message.ts'
import type { Tripwire } from '../../actors/processor.ts'
import { timeoutCodes } from '../../actors/timeouts.ts'
import type { ErrorData } from '../../errors.ts'
import type { ScreenedSaying, ScreeningOutput } from '../contract/reports.ts'
import type { Saying } from '../contract/sayings.ts'
import { aList, aNumber, startedByAgents } from '../shared/chart-input.ts'
import { aText } from '../../actors/strict/checks.ts'
import { required } from '../../actors/strict/read-options.ts'

export interface ScreeningInput {
  readonly agent: string
  readonly task: string
  /** The messages, in the order in which they came. */
  readonly sayings: readonly Saying[]
  /** The ids of the processors. */
  readonly processors: readonly string[]
  readonly scope: 'agent' | 'run'
  readonly hookErrors: 'fail' | 'ignore'
  /** Milliseconds that a processor may take. */
  readonly hookTimeout: number
}

/** The progress on one message. */
export interface Progress {
  /** The message as the processors so far have changed it. */
  readonly messages: readonly Message[]
  /** The position of the next processor. */
  readonly next: number
  readonly failure: ErrorData | undefined
  readonly tripwire: Tripwire | undefined
}

export interface ScreeningContext {
  readonly input: ScreeningInput
  readonly progress: Progress
  /** The messages that are judged. */
  readonly screened: readonly ScreenedSaying[]
}

const assertInput = /* @__PURE__ */ startedByAgents<ScreeningInput>('screening', {
  agent: required(aText),
  task: required(aText),
  sayings: required(aList),
  processors: required(aList),
  scope: required(aText),
  hookErrors: required(aText),
  hookTimeout: required(aNumber),
})

export function initialContext(input: ScreeningInput): ScreeningContext {
  assertInput(input)
  return { input, progress: progressOn(input.sayings[0]), screened: [] }
}

/** The message as the model reads it. */
export function messageOf({ message, content }: Saying): UserMessage {
  return { role: 'user', content: content ?? message, internal: 'said' }
}

export function sayingOf({ input, screened }: ScreeningContext): Saying | undefined {
  return input.sayings[screened.length]
}

function progressOn(saying: Saying | undefined): Progress {
  return {
    messages: saying === undefined ? [] : [messageOf(saying)],
    next: 0,
    failure: undefined,
    tripwire: undefined,
  }
}

export function answered(
  { messages }: Progress,
  { messages: changed, next, failure, tripwire }: HookOutcome<'processInput'>,
): Progress {
  return {
    messages: changed ?? messages,
    next,
    failure: failure ?? undefined,
    tripwire: tripwire ?? undefined,
  }
}

/** A processor that timed out fails alone. Where processors could not be called, none of them is called any more. */
export function failed(progress: Progress, error: ErrorData): Progress {
  const next = error.code === timeoutCodes.other ? progress.next + 1 : Infinity
  return { ...progress, next, failure: error }
}

/** Of the messages that processors made of it, the model reads those of the user. */
export function saidIn({ messages }: Progress): readonly UserMessage[] {
  return messages.flatMap((message) =>
    message.role === 'user' ? [{ ...message, internal: 'said' as const }] : [],
  )
}

export function passed(context: ScreeningContext): Partial<ScreeningContext> {
  const messages = saidIn(context.progress)
  return judged(context, (id) => ({ id, outcome: 'passed', messages }))
}

export function refused(context: ScreeningContext): Partial<ScreeningContext> {
  const { failure, tripwire } = context.progress
  const reason =
    failure === undefined
      ? (tripwire?.reason ?? 'The input processors have left no message of the user.')
      : `The message could not be checked: ${failure.code}.`
  return judged(context, (id) => ({ id, outcome: 'refused', reason }))
}

function judged(context: ScreeningContext, judge: (id: string) => ScreenedSaying): Partial<ScreeningContext> {
  const saying = sayingOf(context)
  if (saying === undefined) return {}
  const screened = [...context.screened, judge(saying.id)]
  return { screened, progress: progressOn(context.input.sayings[screened.length]) }
}

export function screeningOutput({ screened }: ScreeningContext): ScreeningOutput {
  return { kind: 'screening', screened }
}
