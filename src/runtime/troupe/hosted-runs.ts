/**
 * The runs of the actors of one hosted logic. A stop of an actor cancels its run at once. A start after that begins a
 * new run from the same input: React's StrictMode stops and starts every actor of a component when it mounts.
 */
import type { AnyActorRef, AnyEventObject, ActorLogic, EventObject, Snapshot } from 'xstate'
import type { Prompt } from '../../actors/message.ts'
import {
  clockOf,
  inspectorOf,
  parentOf,
  statusOf,
  createChild,
  takeReports,
} from '../../actors/xstate-internals.ts'
import { contextHere } from '../async-context.ts'
import { clockOn, type Clock } from '../clock.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { RunSignal } from '../handle/run.ts'
import type { Lease } from '../journal/store.ts'
import { repeatRun, type RunSpec } from '../run/create-run.ts'
import { undelivered } from '../handle/read-signal.ts'
import { letGo } from '../run/let-go.ts'
import { LiveRun } from '../run/live-run.ts'
import type { RunHost } from '../run/run-host.ts'
import type { HostedSnapshot, RunOfSnapshot, RunsOfActors } from './hosted.ts'
import { reclaimRun, stopReason } from './reclaim-run.ts'
import { soon } from '../../actors/values/order.ts'

/** A run of an actor, from a start of the actor to its stop. */
interface Life {
  readonly run: LiveRun
  readonly spec: RunSpec
  /** The actor itself, or a later root below it. */
  readonly root: AnyActorRef
  /** `stopped`: the actor was stopped before its run had ended. */
  phase: 'created' | 'live' | 'stopped'
}

/** An actor that is being restored: its run is not back yet. */
interface Restoring {
  readonly signals: RunSignal[]
  isStopped: boolean
}

export class HostedRuns implements RunsOfActors {
  readonly #host: RunHost
  readonly #agent: AgentDefinition
  readonly #hasOwnClock: boolean
  readonly #lives = new WeakMap<AnyActorRef, Life>()
  readonly #restoring = new WeakMap<AnyActorRef, Restoring>()
  /** The runs of actors that were given an id: the store may have the run. */
  readonly #chosen = new WeakMap<AnyActorRef, RunSpec>()

  /**
   * `hasOwnClock`: whether runs use the clock of the troupe in place of the clock of the actor's system. Throws a
   * `ConfigurationError` for an agent that the troupe does not have.
   */
  constructor(host: RunHost, agent: AgentDefinition, hasOwnClock: boolean) {
    host.assertKnown(agent)
    this.#host = host
    this.#agent = agent
    this.#hasOwnClock = hasOwnClock
  }

  create(self: AnyActorRef, prompt: Prompt, options: object): RunOfSnapshot {
    this.#host.assertTakes()
    const spec = this.#host.begin(this.#agent, prompt, options, true, this.#clockOf(self))
    if (spec.isIdChosen === true) {
      this.#chosen.set(self, spec)
      return { runId: spec.started.runId, children: {}, beginning: spec.started, awaiting: [] }
    }
    return runOfSnapshot(this.#enter(self, spec, self).run)
  }

  start(self: AnyActorRef, snapshot: HostedSnapshot): void {
    const restoring = this.#restoring.get(self)
    const life = this.#lives.get(self)
    if (restoring !== undefined) {
      restoring.isStopped = false
      const { runId, beginning } = snapshot
      self.send({ type: 'run.begun', begun: { runId, children: {}, beginning, awaiting: [] } })
    } else if (life === undefined) this.#startRestore(self, snapshot)
    else this.#startLife(self, life)
  }

  stop(self: AnyActorRef): void {
    const restoring = this.#restoring.get(self)
    if (restoring !== undefined) {
      restoring.isStopped = true
      return
    }
    const life = this.#lives.get(self)
    if (life !== undefined && !life.run.hasEnded) stopLife(life)
  }

  signal(self: AnyActorRef, signal: RunSignal): void {
    const restoring = this.#restoring.get(self)
    if (restoring !== undefined) {
      restoring.signals.push(signal)
      return
    }
    const run = this.#lives.get(self)?.run
    run?.signal(signal).catch((error: unknown) => {
      if (isActive(self)) run.context.run(() => tell(self, { type: 'signal.refused', signal, error }))
      else run.report(undelivered(run.id, error))
    })
  }

  childrenOf(self: AnyActorRef): HostedSnapshot['children'] {
    const life = this.#lives.get(self)
    return life === undefined ? {} : unlisted(life.run.agent)
  }

  // --- lives ------------------------------------------------------------------------------------------------------

  #startLife(self: AnyActorRef, life: Life): void {
    switch (life.phase) {
      case 'created':
        if (!this.#host.isOpen) keepProcess(self)
        this.#host.assertTakes()
        void life.run.start() // the promises of the run reject with the error
        return this.#live(self, life)
      case 'live': {
        // Its run had ended before the stop: the actor gets the events and the result of that run again.
        const again = { ...life }
        this.#lives.set(self, again)
        self.send({ type: 'run.begun', begun: runOfSnapshot(again.run) })
        return this.#live(self, again)
      }
      case 'stopped': {
        if (!this.#host.isOpen) keepProcess(self)
        this.#host.assertTakes()
        const clock = this.#clockOf(self)
        const spec = repeatRun(life.spec, clock.now(), this.#host.environment.newId)
        const next = this.#enter(self, spec, startLaterRoot(self, spec.started.runId))
        self.send({ type: 'run.begun', begun: runOfSnapshot(next.run) })
        void next.run.start()
        return this.#live(self, next)
      }
    }
  }

  #enter(self: AnyActorRef, spec: RunSpec, root: AnyActorRef, lease?: Lease): Life {
    const hosting = { root, clock: this.#clockOf(self), inspect: inspectorOf(self) }
    const run = new LiveRun(this.#host, { ...spec, hosting, context: contextHere() }, lease)
    const life: Life = { run, spec, root, phase: 'created' }
    this.#lives.set(self, life)
    return life
  }

  #live(self: AnyActorRef, life: Life): void {
    life.phase = 'live'
    this.#follow(self, life).catch((error: unknown) => {
      const { run } = life
      run.report({
        message: `the run "${run.id}" lost its actor`,
        code: 'ACTOR_LOST',
        where: 'run',
        error,
        runId: run.id,
      })
    })
  }

  /** Passes on the events of the run, and last its end, or the error for which it has none. */
  async #follow(self: AnyActorRef, life: Life): Promise<void> {
    const { run } = life.run
    const isCurrent = (): boolean => this.#lives.get(self) === life && life.phase === 'live' && isActive(self)
    const tellOwn = (event: AnyEventObject): void => {
      if (isCurrent()) self.send(event)
    }
    for await (const event of run.events) tellOwn({ type: 'run.event', event })
    const last = await run.result.then(
      (result) => ({ type: 'run.ended', result }),
      (error: unknown) => ({ type: 'run.lost', error }),
    )
    if (last.type === 'run.lost' && isCurrent()) keepProcess(self)
    tellOwn(last)
    if (life.root !== self) endLaterRoot(life.root)
  }

  // --- restore ----------------------------------------------------------------------------------------------------

  #startRestore(self: AnyActorRef, snapshot: HostedSnapshot): void {
    this.#host.assertOpen()
    const restoring: Restoring = { signals: [], isStopped: false }
    this.#restoring.set(self, restoring)
    const restore = (): void => {
      this.#restore(self, snapshot, restoring).catch((error: unknown) => {
        this.#restoring.delete(self)
        if (isActive(self)) return tell(self, { type: 'run.failed', error })
        const { runId } = snapshot
        this.#host.report({
          message: `the run "${runId}" could not be cancelled`,
          code: 'RUN_NOT_CANCELLED',
          where: 'run',
          error,
          runId,
        })
      })
    }
    // Not inside `start`: the actors that a replay starts must not be started by the actor that restores this one.
    soon(restore)
  }

  async #restore(self: AnyActorRef, snapshot: HostedSnapshot, restoring: Restoring): Promise<void> {
    const { runId, beginning } = snapshot
    const reclaiming = reclaimRun(this.#host, this.#agent, {
      runId,
      beginning,
      asked: this.#chosen.get(self),
      isStopped: () => restoring.isStopped,
    })
    this.#host.awaitBeforeClose(reclaiming)
    const reclaimed = await reclaiming
    if (reclaimed === undefined) {
      this.#restoring.delete(self)
      return
    }
    const { spec, lease, journal } = reclaimed
    const life = this.#enter(self, spec, self, lease)
    life.phase = 'live'
    const { run } = life
    tell(self, { type: 'run.restored' })
    const tellEarly = (): void => {
      this.#restoring.delete(self)
      for (const signal of restoring.signals) tell(self, signal)
      if (restoring.isStopped) stopLife(life)
    }
    try {
      if (journal === undefined) void run.start()
      else run.resume(journal, tellEarly)
    } catch (error) {
      if (lease !== undefined) await letGo(this.#host, lease)
      throw error
    }
    if (this.#restoring.has(self)) tellEarly() // the run has just begun, or has ended
    await this.#follow(self, life)
  }

  #clockOf(self: AnyActorRef): Clock {
    return this.#hasOwnClock ? this.#host.clock : clockOn(clockOf(self))
  }
}

// The root of a later run of an actor. The actor itself is the root of its first run, which may still be ending when
// the actor is started again: each run needs a root of its own, for its effects and for the reports of its agent.

type LaterRootEvent =
  | { readonly type: 'run.over' }
  /** A successor took over the conversation of the root agent: the actor shows it as its child. */
  | { readonly type: 'run.handedOver'; readonly agent: AnyActorRef }

const laterRootLogic: ActorLogic<Snapshot<undefined>, LaterRootEvent> = {
  getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined }),
  transition: (snapshot, event: EventObject, { self }) => {
    switch (event.type) {
      case 'run.over':
        return { status: 'done', output: undefined, error: undefined }
      case 'run.handedOver': {
        const actor = parentOf(self)
        if (actor !== undefined && statusOf(actor) === 'active') actor.send(event)
        return snapshot
      }
      default:
        return snapshot
    }
  },
  getPersistedSnapshot: (snapshot) => snapshot,
}

/** Starts the root of the run `runId` below `actor`. */
function startLaterRoot(actor: AnyActorRef, runId: string): AnyActorRef {
  const root = createChild(laterRootLogic, actor, { id: runId, input: undefined, src: 'run' })
  takeReports(actor, runId, () => undefined) // the actor may have been stopped when the run is over
  root.start()
  return root
}

/** Ends a later root: its run is over. */
function endLaterRoot(root: AnyActorRef): void {
  root.send({ type: 'run.over' })
}

function stopLife(life: Life): void {
  life.phase = 'stopped'
  if (life.run.loss === undefined) void life.run.signal({ type: 'cancel', reason: stopReason })
}

function runOfSnapshot(run: LiveRun): RunOfSnapshot {
  return { runId: run.id, children: unlisted(run.agent), beginning: run.started, awaiting: [] }
}

/**
 * The children of a hosted actor: found by id, and not listed. `@xstate/react` resets all listed children of an actor
 * that it stops; the agent of a run must take its cancel, and aborts its effects itself.
 */
function unlisted(agent: AnyActorRef): HostedSnapshot['children'] {
  return Object.defineProperty({}, agent.id, { value: agent })
}

/** XState ends the process when the root of a system fails without a subscriber. */
function keepProcess(self: AnyActorRef): void {
  if (parentOf(self) === undefined) self.subscribe({})
}

function isActive(self: AnyActorRef): boolean {
  return statusOf(self) === 'active'
}

function tell(self: AnyActorRef, event: AnyEventObject): void {
  if (isActive(self)) self.send(event)
}
