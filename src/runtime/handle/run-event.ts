/** The events of a run: decisions and output of its agents, with their time and place. */
import type { JournalPart } from './journal-part.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type {
  EventPayloads,
  EventType,
  MessageStatus,
  ToolCallPayload,
} from '../../machines/contract/events.ts'
import type { ToolResults } from '../../machines/contract/records.ts'

/** What events of every type have. */
export interface Envelope {
  /** Counts the events of the run from 1. Streamed events have none: they are not in the journal. */
  readonly seq?: number
  /** Logical time: that of the journal entry that led to the event. Milliseconds since 1970. */
  readonly at: number
  readonly runId: string
  /** The agent's id. */
  readonly agent: string
  /** Ids of the actors from the root agent to the one that emits the event, joined with "/". */
  readonly path: string
  /** The delegation that the agent works for. */
  readonly delegationId?: string
  /** The conversation that the run belongs to. */
  readonly conversationId?: string
  /** The same for all events of one message. */
  readonly messageId?: string
  /**
   * Of a message that was begun again after a crash: 2 or more, on its start and its deltas, and on its end where it was
   * cut or rejected. Earlier events of the same message, with a lower number or none, are void.
   */
  readonly attempt?: number
  /** Set once: on the event that ends the run, whose `messageId` is the final message. */
  readonly final?: true
  /**
   * The place of the event for this reader, as an opaque text: `watch` with `after`, and `eventsAfter`, go on behind it, in
   * any process. Absent on events that are not read from a run, such as those of a tool for its own use.
   */
  readonly cursor?: string
}

/** One event of a run, discriminated by `type`. `Results` are the types of the results of its tools. */
export type RunEvent<Results extends ToolResults = ToolResults> = {
  [Type in EventType]: Envelope & { readonly type: Type; readonly payload: PayloadOf<Type, Results> }
}[EventType]

export type PayloadOf<Type extends EventType, Results extends ToolResults> = Type extends 'tool-result'
  ? TypedToolResult<Results>
  : EventPayloads[Type]

/** The payload of a `tool-result`: of tools that are known by their names, their types. */
export type TypedToolResult<Results extends ToolResults> = string extends keyof Results
  ? EventPayloads['tool-result']
  : | {
        [Name in keyof Results & string]: ResultPayload<Name, Results[Name]>
      }[keyof Results & string]
    | ResultPayload<'update-working-memory', JsonValue>

/** The payload of the `tool-result` of one tool. */
export interface ResultPayload<Name extends string, Value extends JsonValue> extends ToolCallPayload {
  readonly toolName: Name
  readonly result: Value
}

/** A piece of a message, as it is streamed. */
export type SpokenDelta = Extract<RunEvent, { type: 'text-delta' | 'reasoning-delta' }>

/** The end of a message. */
export type SpokenEnd = Extract<RunEvent, { type: 'text-end' | 'reasoning-end' }>

/** An event that goes to the current readers alone, past the journal. */
export type StreamedEvent = SpokenDelta | Extract<RunEvent, { type: 'tool-call-delta' | 'tool-progress' }>

/** The end of a model call, for the readers that have seen its deltas. */
export type ModelCallEnd = {
  readonly messageId: string
  /** `complete`: the reply has come to its end. `rejected`: a processor has refused it before. `cut`: there is none. */
  readonly status: MessageStatus
} & {
  /** The text and the reasoning of the reply, before any processing. */
  readonly [Type in SpokenDelta['type']]: string
}

/** The place of an event in the journals of a run: it is the `nth` (from 0) to which an entry has led. */
export interface EventPlace {
  readonly part: JournalPart
  /** Position in the journal, from 0. */
  readonly entry: number
  readonly nth: number
}
