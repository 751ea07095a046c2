/**
 * Processors: the user's guardrails, which inspect the input and the output of a model, and may change or refuse it.
 * They run in the order of their list; each sees the result of the one before it.
 */
import type { Message } from './message.ts'

/** The argument of `processInput`. */
export interface ProcessInputContext {
  readonly runId: string
  readonly agentId: string
  /** The user or entity that the run works for, by the option `resourceId` of the run. No model has a say in it. */
  readonly resourceId?: string
  readonly task: string
  /**
   * The messages that the agent begins with: its instructions, the conversation before the task, and the task. Or one message
   * of a person in mid-run, with `internal: 'said'`.
   */
  readonly messages: readonly Message[]
  /** Ends the agent as `tripped`, before its model is called. A message in mid-run is refused, and the run goes on. */
  abort(reason: string): never
  /** Puts on record what the processor has looked up: the event `recalled`, and provenance, tell it. */
  readonly recalled: (passages: readonly Passage[]) => void
}

/** A text that was found for a task. */
export interface Passage {
  /** Names it where it was found. */
  readonly id: string
  readonly text: string
  /** Where it comes from, such as a title or an address. */
  readonly source?: string
  /** How well it fits; the scale is that of the search. */
  readonly score?: number
}

/** Processes the messages that an agent begins with, and those of people in mid-run, before its model reads them. */
export interface InputProcessor {
  readonly id: string
  /**
   * Returns the messages to read instead, at least one; without a return value they stay as they are. Of those that it
   * returns for a message in mid-run, the model reads the messages of the user.
   */
  readonly processInput: (
    context: ProcessInputContext,
  ) => readonly Message[] | void | Promise<readonly Message[] | void>
}

/** The options of `abort` in a processor. */
export interface AbortOptions {
  /** Calls the model again, with the reason, at most `maxProcessorRetries` times a step. Default: `false`. */
  readonly retry?: boolean
}

/** The argument of `processOutput`. */
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

/** The argument of `processOutputStream`. */
export interface ProcessOutputStreamContext {
  readonly part: { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** All parts of this type so far, this one included. */
  readonly text: string
  /** An object of this processor, new for each message. */
  readonly state: Record<string, unknown>
  /** As in `processOutput`; the call of the model is aborted, and no further part is shown. */
  abort(reason: string, options?: AbortOptions): never
}

/** Has one of the two functions, or both; it sees the parts of a reply before the whole. */
export interface OutputProcessor {
  readonly id: string
  /** Inspects each reply of the model. A returned text replaces that of the reply; without one it stays as it is. */
  readonly processOutput?: (context: ProcessOutputContext) => string | void | Promise<string | void>
  /**
   * Inspects each part of a reply as it comes; without streaming the whole text is one part. A returned string replaces
   * the part, `null` holds it back, `undefined` passes it on. It answers at once, not with a promise. Text that was not
   * passed on when the reply ends is not part of the message. Where an output processor lacks this function, nothing is
   * shown before the whole reply has passed.
   */
  readonly processOutputStream?: (context: ProcessOutputStreamContext) => string | null | void
}

/** The refusal of a processor, and its reason. */
export interface Tripwire {
  readonly processor: string
  readonly reason: string
  /** The model may be called again. */
  readonly retry: boolean
}
