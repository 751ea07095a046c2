/**
 * Processors: guardrails of the user's that look at what goes to a model, and at what comes from it, and may change it
 * or refuse it. Each is asked in the order of its list, and sees what the one before it made.
 */
import type { Message } from './message.ts'

export interface ProcessInputContext {
  readonly runId: string
  readonly agentId: string
  readonly task: string
  /** What the agent begins with: its instructions, the conversation before the task, and the task. */
  readonly messages: readonly Message[]
  /** Ends the agent as `tripped`, before its model is called. */
  abort(reason: string): never
}

export interface InputProcessor {
  readonly id: string
  /** Answers with the messages to begin with, at least one; with nothing it leaves them as they are. */
  readonly processInput: (
    context: ProcessInputContext,
  ) => readonly Message[] | void | Promise<readonly Message[] | void>
}

export interface AbortOptions {
  /** The model is asked again, told the reason, at most `maxProcessorRetries` times a step. Default: `false`. */
  readonly retry?: boolean
}

export interface ProcessOutputContext {
  readonly runId: string
  readonly agentId: string
  /** From 1. */
  readonly step: number
  readonly text: string
  readonly toolCalls: readonly { readonly name: string; readonly args: unknown }[]
  /** The conversation that the model was shown. */
  readonly messages: readonly Message[]
  /** Refuses the reply: nothing of it becomes a message, a call or a result, and the agent ends as `tripped`. */
  abort(reason: string, options?: AbortOptions): never
}

export interface ProcessOutputStreamContext {
  readonly part: { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** All parts of this type so far, this one included. */
  readonly text: string
  /** An object of this processor, new for each message. */
  readonly state: Record<string, unknown>
  /** As in `processOutput`; the call of the model is aborted, and no further part is shown. */
  abort(reason: string, options?: AbortOptions): never
}

/** It has one of the two functions, or both; the parts of a reply come before the whole. */
export interface OutputProcessor {
  readonly id: string
  /** Looks at each reply of the model. A text takes the place of the reply's; with nothing it stays as it is. */
  readonly processOutput?: (context: ProcessOutputContext) => string | void | Promise<string | void>
  /**
   * Looks at each part of a reply as it comes; without streaming the whole text is one part. A string takes the place of
   * the part, `null` holds it back, nothing passes it on. It answers at once, not with a promise. What was not given out
   * when the reply ends is not part of the message. Where an output processor lacks this function, nothing is shown before
   * the whole reply has passed.
   */
  readonly processOutputStream?: (context: ProcessOutputStreamContext) => string | null | void
}

/** That a processor has refused, and why. */
export interface Tripwire {
  readonly processor: string
  readonly reason: string
  /** The model may be asked again. */
  readonly retry: boolean
}
