/** What a tool call is given, remembers, and ends with. */
import type { JsonValue } from '../../actors/json.ts'
import type { ToolCall } from '../../actors/message.ts'
import type { CallCheck, Toolset } from '../../actors/toolset.ts'
import type { ErrorData } from '../../errors.ts'

export interface ToolCallInput {
  /** The agent whose model called. */
  readonly agent: string
  /** Unique in the tree of the run; the path of this actor. */
  readonly callId: string
  readonly call: ToolCall
  readonly toolset: Toolset
  /** How often a `RetryableError` is tried again. */
  readonly retries: number
  readonly hookErrors: 'fail' | 'ignore'
}

export interface ToolCallOutput {
  readonly outcome: 'succeeded' | 'failed' | 'denied' | 'cancelled'
  readonly value?: JsonValue
  readonly error?: ErrorData
  /** What the model is told. */
  readonly content: string
}

export interface ToolCallContext extends ToolCallInput {
  readonly check: CallCheck
  readonly failures: number
  /** How often the process ended while the tool was at work. */
  readonly interruptions: number
  readonly value: JsonValue
  readonly error: ErrorData | undefined
  /** Worded for the model; `undefined` when it may only know that the call failed. */
  readonly explanation: string | undefined
  readonly payload: JsonValue
  readonly resumeData: JsonValue | undefined
}

export function initialContext(input: ToolCallInput): ToolCallContext {
  return {
    ...input,
    check: input.toolset.check(input.call),
    failures: 0,
    interruptions: 0,
    value: null,
    error: undefined,
    explanation: undefined,
    payload: null,
    resumeData: undefined,
  }
}

export function approvalTimeout({ toolset, call }: ToolCallInput): number | undefined {
  return toolset.tools.get(call.name)?.approvalTimeout
}

export function ended(
  outcome: 'failed' | 'denied' | 'cancelled',
  context: ToolCallContext,
  otherwise: string,
): ToolCallOutput {
  return {
    outcome,
    ...(context.error === undefined ? {} : { error: context.error }),
    content: JSON.stringify({
      error: context.explanation ?? otherwise,
      ...(outcome === 'denied' ? { denied: true } : {}),
    }),
  }
}
