/** The events of AG-UI 1.0, as far as runs have them. */
import type { JsonValue } from '../../index.ts'

/** The subagent that an event belongs to; absent: the agent itself. */
export interface Owner {
  readonly subagentRunId?: string
}

/** A message that the agent did not take, and a call that has failed, have their status here. */
interface Marked {
  readonly metadata?: { readonly troupe: { readonly status: string } }
}

interface OfMessage extends Owner {
  readonly messageId: string
}

interface OfCall extends Owner {
  readonly toolCallId: string
}

/** The run of the client: one request, and what is answered to it. */
export interface ClientRun {
  readonly threadId: string
  readonly runId: string
}

/** A question of a run. */
export interface Interrupt extends Owner {
  readonly id: string
  readonly reason: 'tool_call' | 'confirmation' | 'input_required' | 'troupe:interruption'
  readonly message: string
  readonly toolCallId?: string
  readonly responseSchema?: Readonly<Record<string, JsonValue>>
  readonly metadata: { readonly troupe: unknown }
}

type RunOutcome =
  | { readonly type: 'success' | 'cancelled' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly Interrupt[] }

type SubagentOutcome =
  { readonly type: 'success' } | { readonly type: 'suspended'; readonly interruptIds?: readonly string[] }

export type AgUiEvent =
  | ({ readonly type: 'RUN_STARTED'; readonly protocolVersion: '1.0' } & ClientRun)
  | ({ readonly type: 'RUN_FINISHED'; readonly outcome: RunOutcome; readonly result?: unknown } & ClientRun)
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code?: string }
  | ({ readonly type: 'TEXT_MESSAGE_START'; readonly role: 'assistant'; readonly name: string } & OfMessage)
  | ({ readonly type: 'TEXT_MESSAGE_CONTENT'; readonly delta: string } & OfMessage)
  | ({ readonly type: 'TEXT_MESSAGE_END' } & OfMessage & Marked)
  | ({ readonly type: 'REASONING_START' | 'REASONING_END' } & OfMessage)
  | ({ readonly type: 'REASONING_MESSAGE_START'; readonly role: 'reasoning' } & OfMessage)
  | ({ readonly type: 'REASONING_MESSAGE_CONTENT'; readonly delta: string } & OfMessage)
  | ({ readonly type: 'REASONING_MESSAGE_END' } & OfMessage & Marked)
  | ({
      readonly type: 'TOOL_CALL_START'
      readonly toolCallName: string
      readonly parentMessageId?: string
    } & OfCall)
  | ({ readonly type: 'TOOL_CALL_ARGS'; readonly delta: string } & OfCall)
  | ({ readonly type: 'TOOL_CALL_END' } & OfCall)
  | ({ readonly type: 'TOOL_CALL_RESULT'; readonly content: string; readonly role: 'tool' } & OfMessage &
      OfCall &
      Marked)
  | {
      readonly type: 'SUBAGENT_STARTED'
      readonly subagentRunId: string
      readonly name: string
      readonly parentSubagentRunId?: string
    }
  | {
      readonly type: 'SUBAGENT_FINISHED'
      readonly subagentRunId: string
      readonly outcome: SubagentOutcome
      readonly result?: string
    }
  | {
      readonly type: 'SUBAGENT_ERROR'
      readonly subagentRunId: string
      readonly message: string
      readonly code: string
    }
  | ({ readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string } & Owner)
  | ({
      readonly type: 'ACTIVITY_SNAPSHOT'
      readonly activityType: string
      readonly content: object
    } & OfMessage)
  | ({
      readonly type: 'ACTIVITY_DELTA'
      readonly activityType: string
      readonly patch: readonly object[]
    } & OfMessage)
  | ({ readonly type: 'CUSTOM'; readonly name: `troupe.${string}`; readonly value: unknown } & Owner)
