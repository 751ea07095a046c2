/** What an engine is made of. */
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

/** What a process that stood still asks before it starts anything: its run may be another's by now. */
export interface Ownership {
  readonly isCurrent: () => boolean
  /** Resolves when it is certain, or the run was told that it is lost. */
  readonly confirm: () => Promise<void>
}

export interface EngineOptions {
  readonly registry: Registry
  /** Default: that of this process. */
  readonly environment?: Environment
  /** The time of the run. */
  readonly clock: Clock
  readonly started: RunStarted
  /** The options that were given with the run: the home of its functions. */
  readonly functions: SupervisorOptions
  /** Absent in a replay: nothing is appended, so nothing is performed. */
  readonly committer?: Pick<Committer, 'append'>
  /** The right to append. Default: the first one of a run that no other process can see. */
  readonly lease?: Lease
  /** Whether the lease still holds. Default: it does. */
  readonly ownership?: Ownership
  /** Where threads and working memory are kept. Absent in a replay. */
  readonly memory?: MemoryStorage
  /** Where configuration is kept. Absent in a replay. */
  readonly config?: ConfigStorage
  /** Of agents whose parts are functions of the run. Absent in a replay. */
  readonly agentParts?: RunAgentParts
  readonly inspect?: (event: InspectionEvent) => void
  /** Default: to the console. */
  readonly report?: Reporter
  readonly onSettled: (output: AgentOutput) => void
  /** Its `run.started` is durable. Not called in a replay. */
  readonly onStarted?: () => void
  /** The run cannot go on in this process. After `onSettled` it says only that late outcomes are not on record. */
  readonly onLost?: (error: TroupeError) => void
  readonly onSuspended: () => void
  /** A queued answer that the store has accepted does not fit the run. */
  readonly onRefused?: (queued: QueuedSignal, error: unknown) => void
  /** An actor of somebody else's system, as the root of the run. Default: one of its own. */
  readonly root?: AnyActorRef
  /** What runs in place of the root agent. The test kit runs any machine so. */
  readonly rootLogic?: RunChild
  /** The events of a run that was under way before: they are not told again. */
  readonly log?: EventLog
  /** What delays (`after`) inside of machines run on: ours have none, one under test may. Default: the machine's. */
  readonly timers?: HostClock
  /** Default: the real performers. The test kit holds every effect until it settles it. */
  readonly perform?: Perform
  /**
   * `perform` keeps the deadlines of effects itself: where each is a durable step, by the clock of the machine that it
   * runs on. Default: `false`.
   */
  readonly performKeepsDeadlines?: boolean
  /** Default: of every tool. */
  readonly recordsStart?: EffectRunnerOptions['recordsStart']
  /** What stands for subagents, which run elsewhere. Default: they run here. */
  readonly remoteAgent?: () => AnyStateMachine
  /** Of a run that is a part of one whose root is elsewhere: it tells no beginning and no end of its own. */
  readonly asSubrun?: Subrun
}

export interface Subrun {
  /** What its root agent is asked for. */
  readonly request: AgentRequest
  readonly origin: Origin
  /** Its root agent waits for people alone, and no longer does. */
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
