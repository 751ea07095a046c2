/** A handoff between two agents, and the limits that hold for a whole chain of handoffs. */
import type { ResponseFormat } from '../../actors/chat-model.ts'
import type { Message } from '../../actors/message.ts'
import type { Saying } from './sayings.ts'
import type { HandoffRecord } from './records.ts'

/** The response format of the first agent of a chain. */
export interface HandoffShape {
  readonly format: ResponseFormat
  /** The source of the schema: the definition of `agent`, or the options of the run. */
  readonly scope: 'agent' | 'run'
  readonly agent: string
}

/** The facts that hold for all agents of a chain of handoffs. */
export interface HandoffChain {
  /** The number of handoffs so far. */
  readonly handoffs: number
  /** The most handoffs that are allowed. */
  readonly maxHandoffs: number
  /** The first of them was none of a model: it does not count towards `maxHandoffs`. */
  readonly resumed?: true
  /** The message that announces the handoff to the agent: the last one before its first reply. */
  readonly notice?: string
  /** `undefined`: the answer is text. */
  readonly shape?: HandoffShape
  /** The options of the run have a filter for the handoffs of agents without one of their own. */
  readonly filter?: 'run'
  /** The first agent has `keepHandoff`: the thread records which agent holds the conversation. */
  readonly keep?: true
  /** Messages of people that no agent of the chain has read. */
  readonly sayings?: readonly Saying[]
  /** An earlier agent has recalled the thread: the exchange is saved there, whichever agent answers. */
  readonly remembers?: true
}

/** A conversation on its way to the successor. */
export interface Handoff {
  readonly record: HandoffRecord
  /** The prompt of the user. */
  readonly task: string
  readonly history: readonly Message[]
  /** The cap of the tree. */
  readonly maxDepth: number
  /** The groups of the agent that handed off, an upper bound for the successor. Absent where no groups were named. */
  readonly toolGroups?: readonly string[]
  /** Of the conversation, where there is one. */
  readonly threadId?: string
  readonly line: HandoffChain
}
