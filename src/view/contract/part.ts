/** The base of the parts of an agent's work, and the questions about them. */
import type { AnswerPayload, AwaitedSignal } from '../../machines/contract/events.ts'

export interface Part {
  readonly id: string
  /** When it began, in milliseconds since 1970. */
  readonly at: number
}

/** A question that waits for a person or a program. */
export interface QuestionView extends AwaitedSignal {
  /** The path of the agent that asks. */
  readonly path: string
  /** When it was asked, in milliseconds since 1970. */
  readonly since: number
}

/** The fields that tool calls and delegations share. */
export interface Call extends Part {
  /** The arguments as the model writes them, as JSON text that is not complete; absent once the call is made. */
  readonly argsText?: string
  /** The message of the agent that makes the call, where the call was seen streamed. */
  readonly messageId?: string
  /** While the call waits for an answer. */
  readonly question?: QuestionView
  /** The last answer to a question about the call. */
  readonly answer?: AnswerPayload
  /** No step waits for it: `running`, and `ended` when its result is there. */
  readonly background?: 'running' | 'ended'
  /** When it ended, in milliseconds since 1970. */
  readonly endedAt?: number
}
