/** The options of an engine. */
import type { AnyActorLogic, AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate'
import type { Origin } from '../../actors/effect.ts'
import type { HostClock } from '../../actors/xstate-internals.ts'
import type { TroupeError } from '../../errors.ts'
import type { AgentOutput, AgentRequest } from '../../machines/contract/agent.ts'
import type { AwaitedSignal, EventPayloads } from '../../machines/contract/events.ts'
import type { Clock } from '../clock.ts'
import type { Committer } from '../journal/committer.ts'
import type { ConfigStorage } from '../journal/config-storage.ts'
import type { RunAgentParts } from '../agents/run-parts.ts'
import type { EffectRunnerOptions, Perform } from './effects/effect-runner.ts'
import type { Environment } from '../environment.ts'
import type { EventLog } from '../handle/event-log.ts'
import type { RunStarted } from '../journal/journal.ts'
import type { MemoryStorage } from '../journal/memory-storage.ts'
import type { SupervisorOptions } from '../options/options.ts'
import type { Registry } from '../definition/registry.ts'
import type { Reporter } from '../report.ts'
import type { Lease, QueuedSignal } from '../journal/store.ts'

/**
 * The state of a run's lease. A process that stood still checks it before it starts an effect: another process may own
 * the run by now.
 */
export interface Ownership {
  readonly isCurrent: () => boolean
  /** Resolves when the lease is confirmed, or the run has been reported as lost. */
  readonly confirm: () => Promise<void>
}

export interface EngineOptions {
  readonly registry: Registry
  /** Default: that of this process. */
  readonly environment?: Environment
  /** The time of the run. */
  readonly clock: Clock
  readonly started: RunStarted
  /** The options that were given with the run; they hold its functions. */
  readonly functions: SupervisorOptions
  /** Absent in a replay: nothing is appended, so nothing is performed. */
  readonly committer?: Pick<Committer, 'append'>
  /** The right to append. Default: the first lease of a run that no other process can see. */
  readonly lease?: Lease
  /** Whether the lease is still current. Default: it is. */
  readonly ownership?: Ownership
  /** Where threads and working memory are kept. Absent in a replay. */
  readonly memory?: MemoryStorage
  /** Where configuration is kept. Absent in a replay. */
  readonly config?: ConfigStorage
  /** Resolves the parts of agents whose parts are functions of the run. Absent in a replay. */
  readonly agentParts?: RunAgentParts
  readonly inspect?: (event: InspectionEvent) => void
  /** Default: to the console. */
  readonly report?: Reporter
  readonly onSettled: (output: AgentOutput) => void
  /** Called when `run.started` is durable. Not called in a replay. */
  readonly onStarted?: () => void
  /** Called when the run cannot go on in this process. After `onSettled` it reports only unrecorded late outcomes. */
  readonly onLost?: (error: TroupeError) => void
  readonly onSuspended: () => void
  /** Called when a queued answer that the store has accepted does not fit the run. */
  readonly onRefused?: (queued: QueuedSignal, error: unknown) => void
  /** An actor of another XState system, as the root of the run. Default: an actor in a system of its own. */
  readonly root?: AnyActorRef
  /** The logic that runs in place of the root agent. The test kit runs any machine this way. */
  readonly rootLogic?: RunChild
  /** The event log of a run that was in progress before: its events are not emitted again. */
  readonly log?: EventLog
  /** The clock of delays (`after`) in machines: Troupe's have none, one under test may. Default: the system clock. */
  readonly timers?: HostClock
  /** Default: the real performers. The test kit holds every effect until it settles it. */
  readonly perform?: Perform
  /**
   * `perform` keeps the deadlines of effects itself, by the clock of the host: for engines in which each effect is a
   * durable step. Default: `false`.
   */
  readonly performKeepsDeadlines?: boolean
  /** Whether the start of a tool is recorded before it runs. Default: for every tool. */
  readonly recordsStart?: EffectRunnerOptions['recordsStart']
  /** The chart that stands in for subagents that run elsewhere. Default: subagents run here. */
  readonly remoteAgent?: () => AnyStateMachine
  /** Set for a part of a run whose root is elsewhere: the part emits no `run-start` and no `run-finish` of its own. */
  readonly asSubrun?: Subrun
}

export interface Subrun {
  /** The request to its root agent. */
  readonly request: AgentRequest
  readonly origin: Origin
  /** Called when its root agent waits for signals alone (`onHeld`), and when it no longer does (`onReleased`). */
  readonly onHeld?: (awaiting: readonly AwaitedSignal[]) => void
  readonly onReleased?: (by: EventPayloads['resumed']) => void
}

export interface RunChild {
  readonly id: string
  readonly logic: AnyActorLogic
  readonly input: unknown
  /** Reads the output of a child that is no agent. */
  readonly outputOf?: (output: unknown) => AgentOutput
}
