/**
 * A run that this troupe works on. One that is suspended leaves memory after a while, with all its actors: what
 * remains is what was asked and what was said; its signal brings it back, from its journal.
 */
import { createActor, fromTransition, type AnyActorRef } from 'xstate'
import { statusOf } from '../actors/xstate-internals.ts'
import { LeaseLostError, RunNotFoundError, RunOwnedError, toErrorData } from '../errors.ts'
import type { AgentOutput } from '../machines/agent.ts'
import { answerOf } from './answer.ts'
import { inBackground } from './clock.ts'
import { Configurations } from './configurations.ts'
import { Engine } from './engine.ts'
import { EventLog } from './event-log.ts'
import { hasEnded, type JournalEntry, type RunStarted } from './journal.ts'
import type { SupervisorOptions } from './options.ts'
import { lookUp } from './registry.ts'
import { report } from './report.ts'
import { shapedResult, type FinalResult, type RunResult, type SuspendedResult } from './result.ts'
import { resumeFrom } from './resume.ts'
import { handleOf } from './run-handle.ts'
import type { HostedRun, RunHost } from './run-host.ts'
import { resultOf, suspendedResult } from './run-results.ts'
import type { Run, RunSignal } from './run.ts'
import type { SignalDesk } from './signal-desk.ts'
import { firstLease, type Lease } from './store.ts'

export interface Beginning {
  readonly started: RunStarted
  /** The options that were given with the run: the home of its functions. */
  readonly functions: SupervisorOptions
  readonly signal?: AbortSignal | undefined
  /** An actor of somebody else's system, as the root of the run. */
  readonly root?: AnyActorRef
}

/** What is left of a suspended run that has left memory. */
interface Parked {
  readonly signals: SignalDesk
  readonly root: WeakRef<AnyActorRef>
  /** How many entries its journal had. */
  readonly entries: number
  readonly wakeAt: number | undefined
}

export class LiveRun implements HostedRun {
  readonly run: Run
  readonly #host: RunHost
  readonly #beginning: Beginning
  readonly #log = new EventLog()
  readonly #configurations: Configurations
  readonly #end = Promise.withResolvers<FinalResult>()
  #idle: PromiseWithResolvers<RunResult> | undefined
  /** What it said when it was suspended last. */
  #suspended: SuspendedResult | undefined
  #work: Engine | Parked
  #lease: Lease
  #isResultAwaited = false
  #reviving: Promise<void> | undefined
  #passivation: ReturnType<typeof setTimeout> | undefined
  /** How much is on its way to a parked run. */
  #telling = 0

  /** `lease`: of a run that has begun before. */
  constructor(host: RunHost, beginning: Beginning, lease?: Lease) {
    this.#host = host
    this.#beginning = beginning
    const { registry, admit } = host
    const { started } = beginning
    this.#configurations = new Configurations({ registry, started, admit })
    this.#lease = lease ?? firstLease(started.runId, host.keeper.owner, host.keeper.expiry())
    this.#work = this.#open(this.#lease)
    this.run = this.#handle()
  }

  get id(): string {
    return this.#beginning.started.runId
  }

  get lease(): Lease {
    return this.#lease
  }

  get started(): RunStarted {
    return this.#beginning.started
  }

  /** The actor of the root agent of a run that is in memory. */
  get agent(): AnyActorRef {
    return this.#engine.agent
  }

  get isNeeded(): boolean {
    const { started, root } = this.#beginning
    return (
      started.settings.hooks.length > 0 ||
      root !== undefined ||
      this.#beginning.signal !== undefined ||
      this.#isResultAwaited ||
      this.#log.hasReaders
    )
  }

  get #isParked(): boolean {
    return !(this.#work instanceof Engine)
  }

  get #engine(): Engine {
    return this.#work as Engine // asked for where it is in memory
  }

  // --- its life ---------------------------------------------------------------------------------------------------

  /** Begins: appends `run.started`. */
  start(): void {
    this.#host.entered(this)
    this.#heedAbort()
    this.#engine.start()
    if (this.#beginning.signal?.aborted === true) this.#onAbort()
  }

  /** Goes on from where the journal ends. What `first` tells it comes before anything. Throws a `JournalMismatchError`. */
  resume(journal: readonly JournalEntry[], first?: () => void): void {
    const engine = this.#engine
    resumeFrom(engine, journal)
    if (engine.isSettled) return
    this.#host.entered(this)
    this.#heedAbort()
    this.#goLive(engine, first)
  }

  #goLive(engine: Engine, first?: () => void): void {
    engine.goLive(() => {
      first?.()
      if (this.#beginning.signal?.aborted === true) this.#onAbort()
    })
  }

  /** Rejects with a `RunOwnedError` when another troupe is at work on it. */
  async revive(first?: RunSignal): Promise<void> {
    if (!this.#isParked) return
    this.#reviving ??= this.#revive(first).finally(() => {
      this.#reviving = undefined
    })
    return this.#reviving
  }

  async #revive(first: RunSignal | undefined): Promise<void> {
    const { store, keeper, committer } = this.#host
    const { wakeAt } = this.#work as Parked
    // Elsewhere it may have gone on, to its very end: then it needs no owner any more.
    if (hasEnded(await this.#journal())) return this.#replayEnd()
    const lease = await keeper.claim(this.id)
    if (lease === undefined) throw new RunOwnedError(this.id)
    try {
      const journal = await this.#journal()
      this.#host.assertOpen()
      const engine = this.#open(lease)
      resumeFrom(engine, journal)
      this.#lease = lease
      this.#work = engine
      if (engine.isSettled) return
      this.#host.entered(this)
      this.#goLive(engine, () => first && this.signal(first))
    } catch (error) {
      await store.release([{ ...lease, parked: parkedOf(wakeAt) }])
      throw error
    }
    await committer.flushed()
  }

  async #replayEnd(): Promise<void> {
    const engine = this.#open(this.#lease)
    resumeFrom(engine, await this.#journal())
    this.#work = engine
  }

  async #journal(): Promise<readonly JournalEntry[]> {
    const journal = await this.#host.store.read(this.id)
    if (journal === undefined) throw new RunNotFoundError(this.id)
    return journal
  }

  async catchUp(): Promise<void> {
    const work = this.#work
    if (work instanceof Engine || this.#telling > 0) return
    const news = await this.#host.store.read(this.id, work.entries)
    if (news !== undefined && hasEnded(news)) await this.revive()
  }

  /** Gives the run up as it is: it is not ended, and another troupe may go on with it. */
  abandon(): void {
    clearTimeout(this.#passivation)
    this.#beginning.signal?.removeEventListener('abort', this.#onAbort)
    if (!(this.#work instanceof Engine)) return
    this.#work.signals.close()
    this.#work.abandon()
  }

  #open(lease: Lease): Engine {
    const { registry, committer, clock, inspect, store } = this.#host
    const { started, functions, root } = this.#beginning
    const engine = new Engine({
      registry,
      committer,
      clock,
      started,
      functions,
      lease,
      memory: store.memory,
      configurations: this.#configurations,
      log: this.#log,
      ...(inspect === undefined ? {} : { inspect }),
      ...(root === undefined ? {} : { root }),
      onSettled: (output) => this.#settle(engine, output),
      onSuspended: () => this.#suspend(),
    })
    return engine
  }

  #settle(engine: Engine, output: AgentOutput): void {
    clearTimeout(this.#passivation)
    const { functions, started, signal } = this.#beginning
    const schema = (
      functions.structuredOutput ?? lookUp(this.#host.registry, started.agent).options.structuredOutput
    )?.schema
    const result = resultOf(engine, output)
    const shaped = schema === undefined ? result : shapedResult(result, schema)
    signal?.removeEventListener('abort', this.#onAbort)
    this.#host.left(this)
    this.#idle?.resolve(shaped)
    this.#end.resolve(shaped)
    if (schema === undefined) this.#tellRoot(engine, result)
    else void this.#end.promise.then((ended) => this.#tellRoot(engine, ended))
  }

  /** A root in somebody else's system is told by what hosts it, after the last event. */
  #tellRoot({ root }: Engine, result: FinalResult): void {
    if (this.#beginning.root !== undefined || statusOf(root) !== 'active') return
    root.send({ type: 'run.ended', result })
  }

  #suspend(): void {
    if (this.#telling > 0) return // it is about to be told something
    this.#suspended = suspendedResult(this.#engine)
    this.#idle?.resolve(this.#suspended)
    this.#idle = undefined
    this.#passivate()
  }

  #passivate(): void {
    const { passivateAfter } = this.#host
    if (this.#beginning.root !== undefined || passivateAfter === Number.POSITIVE_INFINITY) return
    clearTimeout(this.#passivation)
    this.#passivation = inBackground(setTimeout(() => this.#park(), passivateAfter))
  }

  #park(): void {
    const engine = this.#engine
    if (!engine.isSuspended || engine.signals.isAnswering) return
    // A tool that the run has let go of is still to be recorded.
    if (engine.effects.isDraining) return this.#passivate()
    const { wakeAt } = engine.effects
    engine.abandon()
    this.#work = {
      signals: engine.signals,
      root: new WeakRef(engine.root),
      entries: engine.delivered,
      wakeAt,
    }
    this.#host.parked(this, parkedOf(wakeAt))
  }

  // --- what it is told --------------------------------------------------------------------------------------------

  /** Throws a `SignalError` for an answer that the run does not wait for. */
  signal(signal: RunSignal): void {
    if (this.#beginning.root === undefined) this.#host.assertOpen()
    const { signals } = this.#work
    if (signal.type === 'cancel') {
      const { reason = 'cancelled' } = signal
      const cancel = (): void => this.#engine.signal({ type: 'cancel', reason })
      if (this.#isParked) this.#whenRevived(signal, cancel)
      else cancel()
      return
    }
    const { id, verb, data, outcome } = answerOf(signal)
    const key = signals.claim(id, verb, data)
    const tell = (): void => this.#engine.signal({ type: 'answer', key, id, answer: outcome })
    if (!this.#isParked) return tell()
    this.#whenRevived(
      signal,
      () => {
        this.#engine.signals.claim(id, verb, data)
        tell()
      },
      () => signals.giveBack(id),
    )
  }

  #whenRevived(signal: RunSignal, tell: () => void, onFailure: () => void = () => undefined): void {
    this.#telling++
    this.#reviveAndTell(signal, tell)
      .catch((error: unknown) => {
        onFailure()
        report(`the run "${this.id}" could not be told ${JSON.stringify(signal)}`, error)
      })
      .finally(() => {
        this.#telling--
        const work = this.#work
        if (work instanceof Engine && work.isSuspended && !work.signals.isAnswering) this.#suspend()
      })
  }

  async #reviveAndTell(signal: RunSignal, tell: () => void): Promise<void> {
    try {
      await this.revive(signal.type === 'cancel' ? signal : undefined)
    } catch (error) {
      if (!(error instanceof RunOwnedError)) throw error
      // Another troupe has it: it is told there.
      return this.#host.store.post(this.id, signal)
    }
    tell()
  }

  /** A signal that another process has left for this run. */
  posted(signal: RunSignal): void {
    try {
      this.signal(signal)
    } catch (error) {
      report(`a signal for the run "${this.id}" came too late`, error)
    }
  }

  lost(): void {
    if (this.#work instanceof Engine) this.#work.broke(new LeaseLostError(this.id))
  }

  #heedAbort(): void {
    this.#beginning.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#beginning.signal?.reason
    this.signal({ type: 'cancel', reason: reason == null ? 'aborted' : toErrorData(reason).message })
  }

  // --- its handle -------------------------------------------------------------------------------------------------

  get #whenIdle(): Promise<RunResult> {
    const work = this.#work
    if (work instanceof Engine && work.output !== undefined) return this.#end.promise
    const isIdle = !(work instanceof Engine) || work.isSuspended
    if (this.#suspended !== undefined && isIdle && this.#telling === 0 && !work.signals.isAnswering)
      return Promise.resolve(this.#suspended)
    this.#idle ??= Promise.withResolvers<RunResult>()
    return this.#idle.promise
  }

  /** Who asks for the end of a parked run must not be forgotten with it. */
  #awaited<T>(wanted: T): T {
    if (this.#isParked) this.#host.holdOn(this)
    return wanted
  }

  /** Of a parked run whose actors are gone: an actor that does nothing. */
  get #root(): AnyActorRef {
    const work = this.#work
    return work instanceof Engine
      ? work.root
      : (work.root.deref() ??
          createActor(
            fromTransition((nothing) => nothing, null),
            { id: this.id },
          ))
  }

  #handle(): Run {
    const root = (): AnyActorRef => this.#root
    const whenIdle = (): Promise<RunResult> => this.#whenIdle
    const log = (): EventLog => this.#awaited(this.#log)
    const result = (): Promise<FinalResult> => {
      this.#isResultAwaited = true
      return this.#awaited(this.#end.promise)
    }
    return handleOf({
      id: this.id,
      get root() {
        return root()
      },
      get log() {
        return log()
      },
      get result() {
        return result()
      },
      get whenIdle() {
        return whenIdle()
      },
      signal: (signal) => this.signal(signal),
    })
  }
}

function parkedOf(wakeAt: number | undefined): { readonly wakeAt?: number } {
  return wakeAt === undefined ? {} : { wakeAt }
}
