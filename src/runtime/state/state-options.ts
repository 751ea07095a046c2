/** The options of a run's state. */
import type { AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate'
import type { HostClock } from '../../actors/xstate-internals.ts'
import type { Registry } from '../definition/registry.ts'
import type { EventLog } from '../handle/event-log.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import type { RunStarted } from '../journal/journal.ts'
import type { Reporter } from '../report.ts'
import type { Subrun } from './remote-agents.ts'
import type { RunChild } from './root-agents.ts'

export interface StateOptions {
  readonly started: RunStarted
  readonly registry: Registry
  /** How charts are interpreted. Default: by tables. An inspected run is always interpreted by XState. */
  readonly interpreter?: InterpreterName | undefined
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
  /** Default: to the console. */
  readonly report?: Reporter | undefined
  /** The event log of a run that was in progress before: its events are not emitted again. */
  readonly log?: EventLog | undefined
  /** An actor of another XState system, as the root of the run. Default: an actor in a system of its own. */
  readonly root?: AnyActorRef | undefined
  /** The logic that runs in place of the root agent. The test kit runs any machine this way. */
  readonly rootLogic?: RunChild | undefined
  /** The clock of delays (`after`) in machines: Troupe's have none, one under test may. Default: the system clock. */
  readonly timers?: HostClock
  /** The chart that stands in for subagents that run elsewhere. Default: subagents run here. */
  readonly remoteAgent?: () => AnyStateMachine
  /** Set for a part of a run whose root is elsewhere: the part emits no `run-start` and no `run-finish` of its own. */
  readonly asSubrun?: Subrun | undefined
}
