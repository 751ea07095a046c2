/** What is known of a handoff: who handed a conversation to whom, and what holds for whoever goes on with it. */
import type { ResponseFormat } from '../../actors/chat-model.ts'
import type { Message } from '../../actors/message.ts'
import type { HandoffRecord } from './records.ts'

/** The shape that was asked of the first agent of a line. */
export interface HandoffShape {
  readonly format: ResponseFormat
  /** Whose schema it is: that of the definition of `agent`, or the one given with the run. */
  readonly scope: 'agent' | 'run'
  readonly agent: string
}

/** What holds for all agents that one conversation is handed to, one after the other. */
export interface HandoffLine {
  /** How many handoffs have led here. */
  readonly handoffs: number
  /** How many may. */
  readonly maxHandoffs: number
  /** What the agent is told of the handoff: the last message before it speaks. */
  readonly notice: string
  /** `undefined`: text is asked for. */
  readonly shape?: HandoffShape
  /** An agent before has shown what its thread holds, and the exchange is to be kept there, whoever answers. */
  readonly remembers?: true
}

/** Where a conversation goes. */
export interface Handoff {
  readonly record: HandoffRecord
  /** What the user asked for. */
  readonly task: string
  readonly history: readonly Message[]
  /** That of the tree. */
  readonly maxDepth: number
  /** Those of the agent that let go: whoever goes on may have fewer, not more. Absent where nobody named any. */
  readonly toolGroups?: readonly string[]
  /** Of the conversation, where there is one. */
  readonly threadId?: string
  readonly line: HandoffLine
}
