/** The door of a run's state: takes the effects of its actors, prepares its agents, and listens to their events. */
import { isInChain } from '../../actors/actor-path.ts'
import type { AnyActorRef, InspectionEvent, Observer, AnyStateMachine } from 'xstate'
import { openDoor, type EffectRequest, type LetGoReason, type Origin } from '../../actors/effects/effect.ts'
import type { ErrorData } from '../../errors.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import { sourceOf } from '../actor-source.ts'
import { lookUp, type Registry } from '../definition/registry.ts'
import type { InspectorGuard } from '../interpreter/lean-system.ts'
import type { Reporter } from '../report.ts'
import type { Driver } from './effects/driver.ts'
import type { WantedEffects } from './effects/wanted-effects.ts'
import type { MachineEvents } from './machine-events.ts'
import { prepareAgent } from './prepare.ts'
import type { RootDoor } from './run-door.ts'
import type { StandingDecisions } from './signals/standing-decisions.ts'
import { safeInspector, safeObservers, type Place } from './safe-observers.ts'
import type { HostClock } from '../../actors/xstate-internals.ts'
import type { EventLog } from '../handle/event-log.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import type { RunStarted } from '../journal/journal.ts'
import type { Subrun } from './remote-agents.ts'
import type { RunChild } from './root-agents.ts'

/** The run that the door opens on. */
interface DoorRun {
  readonly effects: WantedEffects
  readonly standing: StandingDecisions
  readonly report: Reporter
  readonly driver: Driver | undefined
}

/** The options of a run's state. */
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

export class StateDoor implements InspectorGuard, RootDoor {
  /** Whether memory was asked for. A subagent that runs elsewhere may claim threads there. */
  mayHoldThreads = false
  readonly #options: StateOptions
  readonly #run: DoorRun
  readonly #events: MachineEvents
  readonly #guardObservers: (actor: AnyActorRef) => void
  #root: AnyActorRef | undefined

  constructor(options: StateOptions, run: DoorRun, events: MachineEvents) {
    this.#options = options
    this.#run = run
    this.#events = events
    this.#guardObservers = safeObservers(run.report, (actor) => this.#placeOf(actor))
  }

  openOn(root: AnyActorRef): void {
    this.#root = root
    openDoor(root, this)
    this.#guardObservers(root)
  }

  /** A problem of the root actor is reported as one of the root agent. */
  #placeOf(actor: AnyActorRef): Place {
    const { runId, agent: rootId } = this.#options.started
    if (actor === this.#root) return { runId, agent: rootId, path: rootId }
    const { agent, path } = sourceOf(actor)
    return { runId, agent, path }
  }

  get origin(): Origin | undefined {
    return this.#options.asSubrun?.origin
  }

  request(request: EffectRequest): void {
    if (request.kind === 'memory' || request.kind === 'agent') this.mayHoldThreads = true
    this.#run.effects.request(request)
  }

  letGo(request: EffectRequest, reason: LetGoReason, cause?: ErrorData): void {
    this.#run.effects.letGo(request, reason, cause)
  }

  pause(request: EffectRequest): void {
    this.#run.effects.pause(request)
  }

  unpause(request: EffectRequest): void {
    this.#run.effects.unpause(request)
  }

  prepare(request: AgentRequest) {
    const { asSubrun, remoteAgent, started, registry } = this.#options
    const isHere = isInChain(request.path, asSubrun?.request.path ?? started.agent)
    if (remoteAgent !== undefined && !isHere) return { chart: remoteAgent, input: request }
    return prepareAgent(lookUp(registry, request.agent), request, started.settings)
  }

  decisionOn(agent: string, toolName: string): EffectOutcome<'signal'> | undefined {
    return this.#run.standing.of({ agent, toolName })
  }

  listenTo(actor: AnyActorRef): void {
    this.#events.listenTo(actor)
    this.#guardObservers(actor)
  }

  guarded(inspector: Observer<InspectionEvent>): Observer<InspectionEvent> {
    const { runId } = this.#options.started
    return safeInspector(inspector, this.#run.report, () => ({ runId }))
  }

  cancelled(reason = 'cancelled'): void {
    this.#run.driver?.rootCancelled(reason)
  }
}
