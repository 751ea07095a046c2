/**
 * A run of this troupe. A suspended run is passivated after a while: it leaves memory with all its actors, and only its
 * open questions and its events remain. A signal revives it from its journal.
 */
import type { AnyActorRef } from 'xstate'
import type { TraceContext } from '../../actors/strict/trace-context.ts'
import { LeaseLostError, RunNotFoundError, type TroupeError } from '../../errors.ts'
import type { AgentOutput } from '../../machines/contract/records.ts'
import type { RunSpec } from './create-run.ts'
import { AbortSignals } from './abort-signals.ts'
import { RunAgentParts } from '../agents/run-parts.ts'
import { Engine } from '../engine/engine.ts'
import type { EngineListener } from '../engine/engine-options.ts'
import { assertArgumentsFit } from '../state/signals/changed-arguments.ts'
import { EventLog } from '../handle/event-log.ts'
import type { Budget } from '../state/effects/budget.ts'
import { hasEnded, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { contextHere, noContext, type AsyncContext } from '../async-context.ts'
import type { Clock } from '../clock.ts'
import { hookTimeoutOf } from '../definition/profile.ts'
import { lookUp } from '../definition/registry.ts'
import { reporterOf, type Reporter } from '../report.ts'
import { ReportedPromise } from '../reported-promise.ts'
import { finalResult } from './final-result.ts'
import { FormerRoots, tellRoot } from './former-roots.ts'
import type { Claiming } from './lease-keeper.ts'
import { letGoAsClaimed } from './let-go.ts'
import type { EffectUnderWay } from '../engine/effects/under-way.ts'
import { openEngine } from './open-engine.ts'
import { PassivatedRun, type RunPhase } from './passivated-run.ts'
import { quietly } from '../quietly.ts'
import type { FinalResult, RunResult } from '../handle/result.ts'
import { assertMayGoOn } from '../program/program.ts'
import { resumeFrom } from '../replay/deliver-journal.ts'
import { handleOf, type Handled } from '../handle/handle.ts'
import type { HostedRun, RunHost } from './run-host.ts'
import { Outcome } from '../handle/outcome.ts'
import type { RunRootEvent } from '../state/run-logic.ts'
import { resultOf, suspendedResult } from '../state/run-results.ts'
import type { Run, RunSignal } from '../handle/run.ts'
import { undelivered } from '../handle/read-signal.ts'
import { InboundSignals, type SignalledRun } from './inbound-signals.ts'
import { firstLease, type Lease, type QueuedSignal } from '../journal/store.ts'

const nothingToCallOff = (): void => undefined

const stateOf = (work: Engine | PassivatedRun) => (work instanceof Engine ? work.state : work)

export class LiveRun implements EngineListener, HostedRun, Handled, SignalledRun {
  readonly run: Run
  readonly report: Reporter = (problem) => this.context.run(() => this.#report(problem))
  readonly #report: Reporter
  readonly #host: RunHost
  readonly #spec: RunSpec
  readonly eventLog = new EventLog()
  readonly agentParts: RunAgentParts
  /** The async context in which functions of the user are called for the run, whoever signals it. */
  context: AsyncContext
  readonly #outcome = new Outcome()
  readonly #inbound: InboundSignals
  /** Resolves when its `run.started` is durable. */
  readonly #started = quietly<void>()
  #phase: RunPhase
  #lease: Lease
  #formerRoots: FormerRoots | undefined
  /** Absent: no caller has given one. */
  #aborts: AbortSignals | undefined
  /** The trace context that was given while the run was not live. */
  #trace: TraceContext | undefined
  /** Set for a run within another, whose budget counts it. */
  #spendsWithin: Parameters<Budget['countIn']> | undefined
  /** The number of entries by which the run had not ended in another process. */
  #caughtUpTo = 0
  #callOffPassivation = nothingToCallOff
  /** The epoch of the store when it came here. */
  readonly #epoch: number

  /** `lease`: that of a run that has begun before. */
  constructor(host: RunHost, spec: RunSpec, lease?: Lease) {
    const { admit, keeper } = host
    const { started, registry } = spec
    this.#host = host
    this.#spec = spec
    this.context = spec.context ?? noContext
    this.#report = spec.onError === undefined ? host.report : reporterOf(spec.onError)
    this.agentParts = new RunAgentParts({ registry, started, admit })
    this.#trace = spec.trace
    this.#epoch = host.epochs.current
    const { spendsWithin } = spec
    this.#spendsWithin = spendsWithin && [spendsWithin.budget, started.runId, spendsWithin.tell]
    this.#lease = lease ?? firstLease(started.runId, keeper.owner, keeper.expiry())
    this.#phase = { name: 'live', work: this.#open(this.#lease, lease !== undefined) }
    this.#inbound = new InboundSignals(host, this)
    this.run = handleOf(this)
  }

  get id(): string {
    return this.#spec.started.runId
  }

  get lease(): Lease {
    return this.#lease
  }

  get started(): RunStarted {
    return this.#spec.started
  }

  /** The actor of the root agent of a run that is in memory. */
  get agent(): AnyActorRef {
    return this.#engine.state.agent
  }

  get isOnRecord(): boolean {
    const { work } = this.#phase
    return work instanceof PassivatedRun || work.state.delivered > 0
  }

  get work(): Engine | PassivatedRun {
    return this.#phase.work
  }

  get isIdChosen(): boolean {
    return this.#spec.isIdChosen === true
  }

  get isHosted(): boolean {
    return this.#spec.hosting !== undefined
  }

  get clock(): Clock {
    return (this.#spec.hosting ?? this.#host).clock
  }

  get hookTimeout(): number {
    const { registry, started } = this.#spec
    return hookTimeoutOf(lookUp(registry, started.agent).settings, started.settings)
  }

  get hadEnded(): boolean {
    return this.#phase.name === 'endedBefore'
  }

  get hasEnded(): boolean {
    return this.#phase.name === 'ended' || this.hadEnded
  }

  /** The error for which this process cannot follow the run any more; the run has no end here. */
  get loss(): TroupeError | undefined {
    return this.#phase.name === 'lost' ? this.#phase.error : undefined
  }

  get isLost(): boolean {
    return this.#phase.name === 'lost'
  }

  get isQuiet(): boolean {
    const { work } = this.#phase
    return !(work instanceof Engine) || work.isQuiet
  }

  get underWay(): readonly EffectUnderWay[] {
    const { work } = this.#phase
    return work instanceof Engine ? work.underWay : []
  }

  get owesCall(): boolean {
    const { work } = this.#phase
    return work instanceof Engine && work.owesCall
  }

  pause(onTurn: (() => void) | undefined): void {
    const { work } = this.#phase
    if (work instanceof Engine) work.pause(onTurn)
  }

  /** Throws that error, if there is one. */
  assertFollowed(): void {
    if (this.#phase.name === 'lost') throw this.#phase.error
  }

  /** Rejects with the error for which this process cannot follow the run, once it is certain who owns it. */
  async assertOwned(): Promise<void> {
    const { work } = this.#phase
    if (work instanceof Engine) await work.confirmed
    this.assertFollowed()
  }

  get isNeeded(): boolean {
    const { started } = this.#spec
    const { work } = this.#phase
    return (
      started.settings.hooks.length > 0 ||
      this.isHosted ||
      this.#aborts !== undefined ||
      this.#outcome.isAwaited ||
      (work instanceof PassivatedRun && work.isAwaited) ||
      this.eventLog.hasReaders
    )
  }

  get #engine(): Engine {
    return this.#phase.work as Engine // called only where the run is in memory
  }

  // --- lifecycle --------------------------------------------------------------------------------------------------

  /**
   * Starts the run. Resolves when `run.started` is durable; rejects with a `StoreError`, and the run is then not here.
   */
  start(): Promise<void> {
    this.#host.entered(this)
    this.#heedGiven()
    this.context = contextHere()
    this.#engine.start(this.context)
    this.#aborts?.check()
    return this.#started.promise
  }

  /**
   * Continues from the end of the journal. The signals that `first` sends come before anything else. Throws a
   * `JournalMismatchError`.
   */
  resume(journal: readonly JournalEntry[], first?: () => void): void {
    const engine = this.#engine
    this.context.run(() => resumeFrom(engine.state, journal))
    if (engine.state.isSettled) return this.#endedBefore(engine)
    assertMayGoOn(engine.state, this.#host.onDrift)
    this.#host.entered(this)
    this.#heedGiven()
    this.#goLive(engine, first)
  }

  #goLive(engine: Engine, first?: () => void): void {
    engine.goLive(() => {
      if (this.#trace !== undefined) engine.trace(this.#trace)
      this.#trace = undefined
      first?.()
      this.#aborts?.check()
    })
  }

  /** Revives a passivated run. Rejects with a `RunOwnedError` when another troupe owns it, and with a `RunLeftError`. */
  async revive(first?: RunSignal, claiming?: Claiming): Promise<void> {
    const phase = this.#phase
    switch (phase.name) {
      case 'passivated': {
        const revival = this.#revive(first, claiming).catch((error: unknown) => {
          if (this.#phase.name === 'reviving') this.#phase = phase
          throw error
        })
        this.#phase = { name: 'reviving', work: phase.work, revival }
        this.#host.awaitBeforeClose(revival)
        return revival
      }
      case 'reviving':
        return phase.revival
      case 'live':
      case 'ended':
      case 'endedBefore':
      case 'lost':
        return undefined
    }
  }

  async #revive(first: RunSignal | undefined, claiming: Claiming | undefined): Promise<void> {
    const { keeper, committer } = this.#host
    const known = await this.#journal()
    this.assertFollowed()
    // Another process may have continued it to its end: then it needs no owner any more.
    if (hasEnded(known)) return this.#return(this.#open(this.#lease, true), known)
    this.#host.assertTakes(this.id)
    const lease = await keeper.claim(this.id, claiming)
    try {
      const journal = await this.#journal()
      this.#host.assertTakes(this.id)
      this.assertFollowed()
      await this.#lookBack(journal.length)
      const engine = this.#open(lease, true)
      this.#return(engine, journal)
      this.#lease = lease
      if (engine.state.isSettled) return
      this.#host.entered(this)
      this.#goLive(engine, () => first && void this.signal(first))
    } catch (error) {
      await letGoAsClaimed(this.#host, lease)
      await this.#host.reload?.giveBack(this.id, error)
      throw error
    }
    await committer.flushed()
    await this.assertOwned()
  }

  /** Replaces the passivated run by its engine, at the end of its journal. */
  #return(engine: Engine, journal: readonly JournalEntry[]): void {
    const { work } = this.#phase
    const root = work instanceof PassivatedRun ? work.present : undefined
    if (root !== undefined) (this.#formerRoots ??= new FormerRoots()).add(root)
    this.context.run(() => resumeFrom(engine.state, journal))
    if (engine.state.isSettled) return this.#endedBefore(engine)
    assertMayGoOn(engine.state, this.#host.onDrift)
    this.#phase = { name: 'live', work: engine }
  }

  async #journal(): Promise<readonly JournalEntry[]> {
    const journal = await this.#host.store.read(this.id)
    if (journal === undefined) throw new RunNotFoundError(this.id)
    return journal
  }

  /** Tells where the store has fewer entries of the run than this process knows to be durable: it has gone back. */
  async #lookBack(entries: number): Promise<void> {
    const { work } = this.#phase
    const { epochs } = this.#host
    const known = work instanceof Engine ? work.state.delivered : work.entries
    if (entries >= known || epochs.current > this.#epoch) return
    await epochs.wentBack(`the run "${this.id}" had ${known} entries, and has ${entries}`)
  }

  /** Another process has taken the run, or the store has another lease: that of an earlier point. */
  #lookBackLater(): void {
    const { epochs, store } = this.#host
    const look = async (): Promise<void> => {
      await epochs.read()
      const [summary] = (await store.list('runs', { runId: this.id, limit: 1 })).items
      // Another run may have its id by now.
      if (summary?.startedAt === this.started.at) await this.#lookBack(summary.entries)
    }
    const looking = look().catch((error: unknown) => {
      const message = `the store could not be asked why the run "${this.id}" was lost`
      this.report({ message, code: 'RUN_LOSS_UNEXPLAINED', where: 'store', error, runId: this.id })
    })
    this.#host.awaitBeforeClose(looking)
  }

  async catchUp(): Promise<void> {
    const { work } = this.#phase
    if (work instanceof Engine || this.#inbound.isTelling) return
    const from = Math.max(work.entries, this.#caughtUpTo)
    const news = await this.#host.store.read(this.id, from)
    if (news === undefined) return this.lose(new RunNotFoundError(this.id))
    if (hasEnded(news)) return this.revive()
    this.#caughtUpTo = from + news.length
  }

  trace(trace: TraceContext): void {
    if (this.#phase.name === 'live') this.#phase.work.trace(trace)
    else this.#trace = trace
  }

  /** Aborts the effects in progress; entries that were appended are still delivered. */
  halt(reason: TroupeError): void {
    const { work } = this.#phase
    if (work instanceof Engine) work.halt(reason)
  }

  /** Gives the run up as it is: it does not end by that, and its callers are rejected with the error. */
  lose(error: TroupeError): void {
    if (this.#outcome.isSettled) return // its end is on record
    const { work } = this.#phase
    this.#phase = { name: 'lost', work, error }
    this.#callOffPassivation()
    this.#aborts?.clear()
    stateOf(work).signals.close()
    if (work instanceof Engine) work.abandon(error)
    this.eventLog.end()
    this.#started.reject(error)
    this.#outcome.fail(error)
    this.#host.left(this)
    this.#tellRoots(work instanceof Engine ? work.state.root : work.present, { type: 'run.lost', error })
  }

  #open(lease: Lease, isResumed: boolean): Engine {
    const engine = openEngine(this, { host: this.#host, spec: this.#spec, lease, isResumed })
    if (this.#spendsWithin !== undefined) engine.state.limits.budget?.countIn(...this.#spendsWithin)
    return engine
  }

  spendsWithin({ budget, tell }: NonNullable<RunSpec['spendsWithin']>): void {
    this.#spendsWithin = [budget, this.id, tell]
    const { work } = this.#phase
    if (work instanceof Engine) work.state.limits.budget?.countIn(...this.#spendsWithin)
  }

  // --- calls of its engine ----------------------------------------------------------------------------------------

  onStarted(): void {
    this.#started.resolve()
  }

  onSuspended(): void {
    this.suspended()
  }

  onOvertaken(answers: readonly QueuedSignal[]): void {
    this.#inbound.overtaken(answers)
  }

  onRefused(queued: QueuedSignal, error: unknown): void {
    this.#inbound.failed(queued, error)
  }

  /** A root from before a passivation was told to cancel, or was stopped. */
  onRootCancelled(reason: string): void {
    if (this.loss === undefined) void this.signal({ type: 'cancel', reason })
  }

  onSettled(output: AgentOutput): void {
    this.#settled(this.#engine, output)
  }

  /** The journal that was read has its end. */
  #endedBefore(engine: Engine): void {
    if (engine.state.output !== undefined) this.#settled(engine, engine.state.output)
    this.#phase = { name: 'endedBefore', work: engine }
  }

  #settled(engine: Engine, output: AgentOutput): void {
    this.#callOffPassivation()
    if (this.#phase.name !== 'lost') this.#phase = { name: 'ended', work: engine }
    const { root } = engine.state
    const result = resultOf(engine.state, output)
    this.#aborts?.clear()
    this.#host.left(this)
    const final = finalResult(result, this, this.#spec, this.#host)
    this.#outcome.settle(final)
    if (final instanceof Promise) {
      void final.then((result) => this.#tellRoots(root, { type: 'run.ended', result }))
    } else this.#tellRoots(root, { type: 'run.ended', result: final })
  }

  /** Notifies the roots of the end. A root in another system gets this from its host, after the last event. */
  #tellRoots(root: AnyActorRef | undefined, event: RunRootEvent): void {
    if (this.isHosted) return
    this.context.run(() => {
      tellRoot(root, event)
      this.#formerRoots?.tell(event)
    })
  }

  suspended(): void {
    if (this.#inbound.isTelling) return // a signal is being delivered
    this.#outcome.suspend(suspendedResult(this.#engine.state))
    this.#passivateLater()
  }

  #passivateLater(): void {
    const { passivateAfter } = this.#host
    if (this.isHosted || passivateAfter === Number.POSITIVE_INFINITY) return
    this.#callOffPassivation()
    const { clock } = this.#host.environment
    this.#callOffPassivation = clock.after(passivateAfter, () => this.#passivate(), { background: true })
  }

  leaveMemory(): boolean {
    if (this.isHosted || this.#phase.name !== 'live') return false
    this.#callOffPassivation()
    this.#passivate()
    return this.#phase.work instanceof PassivatedRun
  }

  #passivate(): void {
    if (this.#phase.name !== 'live') return
    const engine = this.#phase.work
    if (!engine.isAtRest || engine.state.signals.isAnswering) return
    // A tool that the run has let go of is still to be recorded.
    if (engine.state.effects.isDraining) return this.#passivateLater()
    engine.abandon()
    const work = new PassivatedRun(this, engine.state)
    this.#phase = { name: 'passivated', work }
    this.#host.passivated(this, work.until)
  }

  // --- signals ----------------------------------------------------------------------------------------------------

  /**
   * Resolves when the signal is on record. Rejects with a `SignalError` for an answer that the run does not wait for.
   */
  signal(signal: RunSignal): Promise<void> {
    return this.tell(() => signal)
  }

  tell(make: () => RunSignal): Promise<void> {
    const telling = async (): Promise<void> => this.#inbound.tell(make())
    return ReportedPromise.of(telling(), (error) => this.report(undelivered(this.id, error)))
  }

  assertArgumentsFit(
    { state }: Engine,
    signal: Parameters<SignalledRun['assertArgumentsFit']>[1],
  ): Promise<void> {
    const { registry, started } = this.#spec
    return this.context.run(() =>
      assertArgumentsFit(signal, {
        signals: state.signals,
        agentParts: this.agentParts,
        timeout: (id) => hookTimeoutOf(lookUp(registry, id).settings, started.settings),
        clock: this.clock,
      }),
    )
  }

  /** Delivers a signal that another process has queued for this run. */
  queued(queued: QueuedSignal): void {
    this.#inbound.queued(queued)
  }

  lost(): void {
    this.#lookBackLater()
    this.lose(new LeaseLostError(this.id))
  }

  /** Loses the run: the store has refused, another troupe owns the run, or there is a fault of Troupe. */
  onLost(error: TroupeError): void {
    if (this.#outcome.isSettled) return // a late outcome is not on record, and changes nothing
    const { isOnRecord } = this
    const isTaken = error instanceof LeaseLostError
    const isAsked = this.#outcome.isAwaited || this.eventLog.hasReaders || !isOnRecord
    if (!isAsked && !isTaken) {
      this.report({
        message: `the run "${this.id}" cannot go on here`,
        code: 'RUN_CANNOT_GO_ON',
        where: 'run',
        error,
        runId: this.id,
      })
    }
    if (isTaken) this.#lookBackLater()
    this.lose(error)
    if (isOnRecord && !isTaken) this.#host.giveUp(this)
  }

  #heedGiven(): void {
    const { signal } = this.#spec
    if (signal !== undefined) this.#listenTo(signal)
  }

  #listenTo(signal: AbortSignal): AbortSignals {
    this.#aborts ??= new AbortSignals((reason) => void this.signal({ type: 'cancel', reason }))
    this.#aborts.add(signal)
    return this.#aborts
  }

  /** A caller has resumed the run with this signal while it was here. */
  heed(signal: AbortSignal): void {
    if (this.#outcome.isSettled) return
    this.#listenTo(signal).check()
    this.#awaited(signal)
  }

  // --- state for its handle ---------------------------------------------------------------------------------------

  get root(): AnyActorRef {
    return this.#awaited(stateOf(this.#phase.work).root)
  }

  get log(): EventLog {
    return this.#awaited(this.eventLog)
  }

  get result(): Promise<FinalResult> {
    return this.#awaited(this.#outcome.end)
  }

  get whenIdle(): Promise<RunResult> {
    const { work } = this.#phase
    const isAtRest = work instanceof PassivatedRun || work.isAtRest
    return this.#outcome.whenIdle(isAtRest && !this.#inbound.isTelling && !stateOf(work).signals.isAnswering)
  }

  /** Returns `wanted`; a passivated run whose caller waits for more must not be forgotten. */
  #awaited<T>(wanted: T): T {
    if (this.#phase.work instanceof PassivatedRun) this.#host.holdOn(this)
    return wanted
  }
}
