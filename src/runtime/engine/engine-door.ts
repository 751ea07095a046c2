/** The door of a run on its engine: takes the effects of its actors, prepares its agents, and listens to their events. */
import { isInChain } from '../../actors/actor-path.ts'
import type { AnyActorRef, AnyStateMachine } from 'xstate'
import { openDoor, type EffectRequest, type LetGoReason, type Origin } from '../../actors/effect.ts'
import type { ErrorData } from '../../errors.ts'
import type { AgentRequest } from '../../machines/contract/agent.ts'
import type { EffectOutcome } from '../../actors/effect-kinds.ts'
import { sourceOf } from '../actor-source.ts'
import { lookUp, type Registry } from '../definition/registry.ts'
import type { RunStarted } from '../journal/journal.ts'
import type { Reporter } from '../report.ts'
import type { ClaimedThreads } from './claimed-threads.ts'
import type { EffectRunner } from './effects/effect-runner.ts'
import type { Subrun } from './remote-agents.ts'
import type { MachineEvents } from './machine-events.ts'
import { prepareAgent } from './prepare.ts'
import type { RootDoor } from './run-door.ts'
import type { StandingDecisions } from './signals/standing-decisions.ts'
import { safeObservers, type Place } from './safe-observers.ts'

export interface EngineDoorOptions {
  readonly started: RunStarted
  readonly registry: Registry
  readonly subrun: Subrun | undefined
  /** The chart that stands in for subagents that run elsewhere. */
  readonly remoteAgent: (() => AnyStateMachine) | undefined
  readonly effects: EffectRunner
  readonly claimed: ClaimedThreads
  readonly standing: StandingDecisions
  readonly events: MachineEvents
  readonly report: Reporter
  readonly cancel: (reason: string) => void
}

export class EngineDoor implements RootDoor {
  readonly #options: EngineDoorOptions
  readonly #guardObservers: (actor: AnyActorRef) => void
  #root: AnyActorRef | undefined

  constructor(options: EngineDoorOptions) {
    this.#options = options
    this.#guardObservers = safeObservers(options.report, (actor) => this.#placeOf(actor))
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
    return this.#options.subrun?.origin
  }

  request(request: EffectRequest): void {
    this.#options.claimed.requested(request.kind)
    this.#options.effects.request(request)
  }

  letGo(request: EffectRequest, reason: LetGoReason, cause?: ErrorData): void {
    this.#options.effects.letGo(request, reason, cause)
  }

  pause(request: EffectRequest): void {
    this.#options.effects.pause(request)
  }

  unpause(request: EffectRequest): void {
    this.#options.effects.unpause(request)
  }

  prepare(request: AgentRequest) {
    const { subrun, remoteAgent, started, registry } = this.#options
    const isHere = isInChain(request.path, subrun?.request.path ?? started.agent)
    if (remoteAgent !== undefined && !isHere) return { chart: remoteAgent, input: request }
    return prepareAgent(lookUp(registry, request.agent), request, started.settings)
  }

  decisionOn(agent: string, toolName: string): EffectOutcome<'signal'> | undefined {
    return this.#options.standing.of({ agent, toolName })
  }

  listenTo(actor: AnyActorRef): void {
    this.#options.events.listenTo(actor)
    this.#guardObservers(actor)
  }

  cancelled(reason = 'cancelled'): void {
    this.#options.cancel(reason)
  }

  stopped(): void {
    this.#options.cancel('The actor of the run was stopped.')
  }
}
