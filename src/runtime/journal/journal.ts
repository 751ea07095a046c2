/** The journal of a run: its entries are appended before they are delivered, and suffice for a replay. */
import { JournalMismatchError, type ErrorData } from '../../errors.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { EffectKind } from '../../actors/effects/effect-names.ts'
import type { Settlement } from '../../actors/effects/effect.ts'
import type { ClientTool } from '../../actors/toolset/client-tools.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Part } from '../../actors/content/content.ts'
import type { UserMessage, AssistantMessage } from '../../actors/message.ts'
import type { Spending } from '../../actors/usage.ts'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import type { CancelEvent } from '../../machines/contract/cancel.ts'
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import type { Saying } from '../../machines/contract/sayings.ts'
import type { RunSettings } from '../options/settings.ts'
import type { TenantCharge } from '../tenants/tenant-charge.ts'
import type { Drift, RecordedAgents } from '../program/recorded.ts'
import type { Selectors } from '../options/version-selectors.ts'

/** The protocol of the library's charts: a run of another protocol is refused, because it would not replay. */
export const protocolVersion = 3

/**
 * Protocols whose runs go on by what their journals have: they say nothing of the agents, which are taken as they are. A
 * decision that their text led to otherwise is a mismatch.
 */
const formerProtocols: ReadonlySet<number> = new Set([2])

/** What entries of every kind have. */
export interface Entry {
  /** Time of the append, and logical time of the run during delivery. Milliseconds since 1970, never falling. */
  readonly at: number
  /** The conversation that the run belongs to. */
  readonly conversationId?: string
}

/** The run has begun. */
export interface RunStarted extends Entry {
  readonly type: 'run.started'
  readonly protocol: number
  readonly runId: string
  readonly agent: string
  /** The version of the agent, if it has one. */
  readonly version?: string
  /**
   * Versions of the agents that the run may come to, by their ids; `null`: without a version. Absent where there was
   * nothing to choose: those below the root are then taken as they are defined.
   */
  readonly versions?: Readonly<Record<string, string | null>>
  /** The selectors of the troupe and the run. */
  readonly versionOverrides?: Selectors
  /**
   * The agents that the run can reach: their structure, which it keeps, and digests of their content. Absent in a journal
   * that was written by hand: its agents are taken as they are.
   */
  readonly agents?: RecordedAgents
  /** The text of the task. */
  readonly task: string
  /** The id that its sender has given the prompt. */
  readonly promptId?: string
  /** The task with its files, where it has some: by reference or URL. */
  readonly content?: readonly Part[]
  readonly history: readonly (UserMessage | AssistantMessage)[]
  readonly settings: RunSettings
  readonly stream: boolean
  readonly threadId?: string
  /** The root agent has memory: without a `threadId` its thread is that of the run alone. */
  readonly remembers?: true
  readonly resourceId?: string
  /** The W3C trace context that the run was started in. */
  readonly traceparent?: string
  /** The tracestate beside it. */
  readonly tracestate?: string
  /** The epoch of the store in which the run began. Absent: 0, the store was not restored before. */
  readonly epoch?: number
  /** The start repeats one that a restore has lost: calls of the run may have been performed before. */
  readonly restored?: true
  /** Passed to the functions and tools of its agents. */
  readonly context?: JsonValue
  /** Tools of the client, which its root agent has beside its own. */
  readonly clientTools?: readonly ClientTool[]
  /** The run whose first entries this one shares. */
  readonly forkedFrom?: { readonly runId: string; readonly at: number }
  /** Set for a run that a tool or a workflow of another run began. */
  readonly nested?: NestedIn
  /** Of a fork: the runs whose entries it has, the first one first. */
  readonly lineage?: readonly Ancestor[]
  /** The time between the entries that a fork shares and its own, of a second or more: it counts for no timer and no limit. */
  readonly uncounted?: readonly Uncounted[]
}

/** The call of a tool or a workflow that began a run. */
export interface NestedIn {
  readonly runId: string
  /** The idempotency key of the call. */
  readonly key: string
  /** The name of the run among those of the call; a number: the order of the calls. */
  readonly name: string | number
}

/** A run whose entries a fork has. */
export interface Ancestor {
  readonly runId: string
  /** The number of entries that the fork has of it and of the runs before it. */
  readonly at: number
  /** The time of the last of these entries. Milliseconds since 1970. */
  readonly until: number
  /** The thread of this run, where its first entry names one. */
  readonly threadId?: string
}

/** Milliseconds that passed after the first `at` entries. */
export interface Uncounted {
  readonly at: number
  readonly span: number
}

/** The start of a tool call: a call that has this and no `effect.settled` is in doubt. */
export interface EffectStarted extends Entry {
  readonly type: 'effect.started'
  readonly key: string
  readonly kind: EffectKind
  readonly digest: string
}

/** An effect has its outcome, or its error. */
export interface EffectSettled extends Entry {
  readonly type: 'effect.settled'
  readonly key: string
  readonly kind: EffectKind
  readonly digest: string
  readonly startedAt: number
  readonly settlement: Settlement
  /** The run had let go of the effect: the outcome is recorded and not delivered. */
  readonly late?: true
  /** Of a call that began runs, where the budget of its run counts them: their usage so far. */
  readonly nested?: readonly (Spending & { readonly runId: string })[]
  /** Of a model call, where tenants have budgets: what was granted, and what the call has used. */
  readonly charge?: TenantCharge
}

/** A delay has ended. */
export interface TimerFired extends Entry {
  readonly type: 'timer.fired'
  readonly key: string
  readonly digest: string
  readonly dueAt: number
}

export type Signal =
  /** Cancels the run, or one delegation. */
  | {
      readonly type: 'cancel'
      readonly reason: string | undefined
      readonly delegationId?: string
      /** The person or program that cancels. */
      readonly by?: string
      /** Default: `cancel`. */
      readonly cause?: CancelEvent['cause']
    }
  | {
      readonly type: 'answer'
      readonly key: string
      readonly id: string
      readonly answer: EffectOutcome<'signal'>
      /** The person or program that answered, and its note, where the answer has them. */
      readonly by?: string
      readonly note?: string
      /** The id that its sender has given the answer. */
      readonly answerId?: string
      /** A decision that holds for later calls of the same tool by the same agent. */
      readonly always?: true
    }
  /** A person speaks to the agent that holds the conversation; its chart takes or refuses the message. */
  | ({ readonly type: 'say' } & Saying)
  /** The W3C trace context of the effects from here on. */
  | ({ readonly type: 'trace' } & TraceContext)
  /** To a part of a run: the time of the run is up, and its last turns must have ended at logical time `until`. */
  | { readonly type: 'spent'; readonly error: ErrorData; readonly until: number }
  /** A subagent that runs elsewhere is held, or no longer is. */
  | { readonly type: 'held'; readonly path: string; readonly awaiting: readonly AwaitedSignal[] }
  | { readonly type: 'released'; readonly path: string; readonly by: EventPayloads['resumed'] }

/** An answer, a message or a cancel has come from outside. */
export interface SignalReceived extends Entry {
  readonly type: 'signal.received'
  readonly signal: Signal
}

/** How the run ended: the payload of the event that ends it. */
export type RunFinish = EventPayloads['run-finish']

/** A process has gone on with the run by agents whose content differs from the record. */
export interface ProgramDrifted extends Entry, Drift {
  readonly type: 'program.drifted'
}

/**
 * The run goes on from an earlier point: its store was restored, or it was imported from another store. It may have gone on
 * before, and so calls from here on may have been performed.
 */
export interface RunRestored extends Entry {
  readonly type: 'run.restored'
  /** The epoch of the store from which it goes on. Absent: it was imported. */
  readonly epoch?: number
}

/** The run has ended. */
export interface RunSettled extends Entry, RunFinish {
  readonly type: 'run.settled'
  /** Of a forced end: the person or program that ended the run, where the cancel named it. */
  readonly forcedBy?: string
}

/** An entry of the journal of a run. */
export type JournalEntry =
  | RunStarted
  | EffectStarted
  | EffectSettled
  | TimerFired
  | SignalReceived
  | ProgramDrifted
  | RunRestored
  | RunSettled

/** Whether the entry is a message of a person. */
export function isSay(entry: JournalEntry): boolean {
  return entry.type === 'signal.received' && entry.signal.type === 'say'
}

/** Entries may follow: the late outcomes of detached tools. */
export function hasEnded(journal: readonly JournalEntry[]): boolean {
  return journal.some((entry) => entry.type === 'run.settled')
}

/** Whether the entry is an end that was written without the charts of the run. */
export function isForcedEnd(entry: JournalEntry): entry is RunSettled {
  return entry.type === 'run.settled' && entry.forced === true
}

/** Returns the first entry. Throws a `JournalMismatchError` if it is not `run.started`, or of another protocol. */
export function startedOf(journal: readonly JournalEntry[]): RunStarted {
  const started = journal[0]
  if (started?.type !== 'run.started') {
    throw new JournalMismatchError({
      entry: 0,
      field: 'type',
      recorded: started?.type,
      actual: 'run.started',
    })
  }
  if (started.protocol !== protocolVersion && !formerProtocols.has(started.protocol)) {
    throw new JournalMismatchError({
      entry: 0,
      field: 'protocol',
      recorded: started.protocol,
      actual: protocolVersion,
    })
  }
  return started
}
