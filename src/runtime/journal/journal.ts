/** The journal of a run: what is appended before it is delivered, and all that a replay needs. */
import type { EffectKind, EffectOutcome } from '../../actors/effect-kinds.ts'
import type { Settlement } from '../../actors/effect.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { UserMessage, AssistantMessage } from '../../actors/message.ts'
import type { CancelEvent } from '../../machines/contract/cancel.ts'
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import type { RunSettings } from '../options/settings.ts'
import type { Selectors } from '../options/version-selectors.ts'

/** Of our own charts: a run of another protocol is refused, because it would not replay. */
export const protocolVersion = 2

interface Entry {
  /** When it was appended: the logical time of the run while it is delivered. Milliseconds since 1970, never falling. */
  readonly at: number
  /** The conversation that the run belongs to. */
  readonly conversationId?: string
}

export interface RunStarted extends Entry {
  readonly type: 'run.started'
  readonly protocol: number
  readonly runId: string
  readonly agent: string
  /** Of the agent, if it has one. */
  readonly version?: string
  /**
   * Of the agents that the run may come to, by their ids; `null`: without a version. Absent where there was nothing to
   * choose: those below the root are then taken as they stand.
   */
  readonly versions?: Readonly<Record<string, string | null>>
  /** What the troupe and the run asked for. */
  readonly versionOverrides?: Selectors
  readonly task: string
  readonly history: readonly (UserMessage | AssistantMessage)[]
  readonly settings: RunSettings
  readonly stream: boolean
  readonly threadId?: string
  readonly resourceId?: string
  /** What the functions and tools of its agents are handed. */
  readonly context?: JsonValue
  /** The run whose first entries this one shares. */
  readonly forkedFrom?: { readonly runId: string; readonly at: number }
}

/** Of tools: a call that has this and no `effect.settled` is in doubt. */
export interface EffectStarted extends Entry {
  readonly type: 'effect.started'
  readonly key: string
  readonly kind: EffectKind
  readonly digest: string
}

export interface EffectSettled extends Entry {
  readonly type: 'effect.settled'
  readonly key: string
  readonly kind: EffectKind
  readonly digest: string
  readonly startedAt: number
  readonly settlement: Settlement
  /** The run had let go of it: the outcome is recorded and goes nowhere. */
  readonly late?: true
}

export interface TimerFired extends Entry {
  readonly type: 'timer.fired'
  readonly key: string
  readonly digest: string
  readonly dueAt: number
}

export type Signal =
  /** Of the run, or of one delegation. */
  | {
      readonly type: 'cancel'
      readonly reason: string | undefined
      readonly delegationId?: string
      /** Default: `cancel`. */
      readonly cause?: CancelEvent['cause']
    }
  | {
      readonly type: 'answer'
      readonly key: string
      readonly id: string
      readonly answer: EffectOutcome<'signal'>
      /** Who has answered, and what was noted, where the answer says so. */
      readonly by?: string
      readonly note?: string
    }
  /** Of a subagent that runs elsewhere: it waits for people, and no longer does. */
  | { readonly type: 'held'; readonly path: string; readonly awaiting: readonly AwaitedSignal[] }
  | { readonly type: 'released'; readonly path: string; readonly by: EventPayloads['resumed'] }

export interface SignalReceived extends Entry {
  readonly type: 'signal.received'
  readonly signal: Signal
}

/** How it ended: what the event that ends the run tells. */
type RunFinish = EventPayloads['run-finish']

export interface RunSettled extends Entry, RunFinish {
  readonly type: 'run.settled'
}

export type JournalEntry =
  RunStarted | EffectStarted | EffectSettled | TimerFired | SignalReceived | RunSettled

/** Entries may follow: the late outcomes of detached tools. */
export function hasEnded(journal: readonly JournalEntry[]): boolean {
  return journal.some((entry) => entry.type === 'run.settled')
}
