/** A run as a page shows it: its agents with their work, and what it waits for. */
import type {
  DelegationOutcome,
  ErrorData,
  EventPayloads,
  FilePart,
  Outcome,
  SubagentOutcome,
  Usage,
  Saying,
} from '../../index.ts'
import { noUsage } from '../../kit/index.ts'
import { KeyedList } from '../lists/keyed-list.ts'
import type { Call, QuestionView, ErrorPart, LeafPart } from './parts.ts'

/** The work of a subagent. Its `id` is the `delegationId`, which is unique in the run. */
export interface DelegationPart extends Call {
  readonly type: 'delegation'
  /** The key under which the delegating agent knows the subagent. */
  readonly agentName: string
  /** The subagent's id; empty until it is known. */
  readonly agentId: string
  /** `rejected`: by a hook. The other outcomes are those of `delegation-end`. */
  readonly status: 'streaming' | 'cut' | 'waiting' | 'running' | DelegationOutcome
  /** How the subagent ended, where its delegation ended otherwise: by a bail, a hook, a cancel or a limit. */
  readonly subagentOutcome?: SubagentOutcome
  readonly prompt?: string
  readonly threadId?: string
  readonly toolGroups?: readonly string[]
  /** The answer, at the end. */
  readonly text: string
  readonly error?: ErrorData
  readonly hookError?: ErrorData
  /** Why a hook has rejected it. */
  readonly reason?: string
  /** After a handoff: the agent that the outcome belongs to. */
  readonly by?: string
  /** Milliseconds from its start. */
  readonly duration?: number
  /** The feedback of `onDelegationComplete`. */
  readonly feedback?: string
  /** A hook has bailed: the answer of the subagent is that of the delegating agent. */
  readonly bailed?: true
  /** The subagent, and after handoffs its successors. */
  readonly agents: KeyedList<AgentView>
}

/** A part of an agent's work, discriminated by `type`. */
export type PartView = LeafPart | DelegationPart

/** An agent at work, with the parts of its work. */
export interface AgentView {
  /** The path of its actor, which is unique in the run. */
  readonly id: string
  /** The agent's id. */
  readonly agent: string
  readonly status: 'running' | 'ended'
  /** Its last message, as far as it is written; of those that have ended, the last complete one. */
  readonly text: string
  /** The number of its last step. */
  readonly step?: number
  /** The number of its last iteration. */
  readonly iteration?: number
  /** Its tool state, where it has one. */
  readonly toolState?: string
  /** Why it was cancelled. */
  readonly aborted?: string
  /** Of its steps and compactions that have ended; not of its subagents. */
  readonly usage: Usage
  readonly parts: KeyedList<PartView>
  /** When it began, in milliseconds since 1970. */
  readonly at: number
  readonly endedAt?: number
}

/** A delegation or tool call in the background that is under way. */
export type BackgroundView = EventPayloads['background-start']

/**
 * A run as far as its events tell. It is never changed: an event gives another view, in which each agent and part that the
 * event does not touch is the same object.
 */
export interface RunView {
  /** Absent before the first event. */
  readonly runId?: string
  readonly conversationId?: string
  readonly threadId?: string
  /** `pending`: before the first event. `suspended`: the run waits for answers. */
  readonly status: 'pending' | 'running' | 'suspended' | 'settled'
  /** Set once it is `settled`. */
  readonly outcome?: Outcome
  readonly task?: string
  /** The answer; until the end, the last message of the agent that holds the conversation, as far as it is written. */
  readonly text: string
  readonly files?: readonly FilePart[]
  /** Of an outcome that has one. */
  readonly reason?: string
  /** After a bail or handoff: the agent that the answer belongs to. */
  readonly by?: string
  readonly error?: ErrorData
  /** Messages of people that no model has read. */
  readonly unheard?: readonly Saying[]
  /** Until the end, of the steps and compactions that have ended. */
  readonly usage: Usage
  /** The root agent, and after handoffs its successors. Subagents are in the delegations of their agents. */
  readonly agents: KeyedList<AgentView>
  /** The questions that wait for an answer, oldest first. */
  readonly questions: readonly QuestionView[]
  /** The tasks in the background that are under way, oldest first. */
  readonly background: readonly BackgroundView[]
  /** Limits of the budget that have come near. */
  readonly warnings: readonly EventPayloads['budget-warning'][]
  /** The errors of all agents, oldest first. */
  readonly errors: KeyedList<ErrorPart>
  /** When the first and the last event happened, in milliseconds since 1970. */
  readonly startedAt?: number
  readonly at?: number
  /** Of the last event: `watch` with `after` and `eventsAfter` go on behind it. */
  readonly cursor?: string
}

/** The view of a run before its first event. */
export const emptyView: RunView = {
  status: 'pending',
  text: '',
  usage: noUsage,
  agents: KeyedList.of(),
  questions: [],
  background: [],
  warnings: [],
  errors: KeyedList.of(),
}
