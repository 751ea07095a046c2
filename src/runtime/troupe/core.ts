/** The core of a troupe: its agents, its store, and the runs that are live or passivated in this process. */
import type { OnDrift } from '../program/recorded.ts'
import type { InspectionEvent } from 'xstate'
import { SlotMap } from '../../actors/values/slot-map.ts'
import type { Prompt } from '../../actors/message.ts'
import { defaultsOf } from '../../actors/strict/read-options.ts'
import { traceIn } from '../../actors/strict/trace-context.ts'
import { ConfigurationError, LeaseLostError, RunLeftError, RunNotFoundError } from '../../errors.ts'
import { contextHere } from '../async-context.ts'
import { cancelOf } from '../run/abort-signals.ts'
import { createRun, restoreRun, type RunSpec } from '../run/create-run.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import { observersOf, type Observer } from '../engine/around/observer.ts'
import { traceFrom } from '../engine/around/trace-from.ts'
import type { CallOptions } from '../options/options.ts'
import type { Clock } from '../clock.ts'
import { startedOf, hasEnded, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { AppendTimer } from '../journal/append-times.ts'
import { answeringStore } from '../journal/answering-store.ts'
import { Epochs } from '../journal/epochs.ts'
import { Committer, lostOf, refusedOf } from '../journal/committer.ts'
import { asDefinition, type AgentDefinition } from '../definition/definition.ts'
import { systemEnvironment, type Environment } from '../environment.ts'
import { SignalQueue } from '../run/signal-queue.ts'
import { LeaseKeeper, type Claiming } from '../run/lease-keeper.ts'
import { letGo, letGoAsClaimed } from '../run/let-go.ts'
import { LiveRun } from '../run/live-run.ts'
import { storeFailure } from '../journal/lost-run.ts'
import { memoryStore } from '../journal/memory/memory-store.ts'
import { SharedEntries } from '../replay/shared-entries.ts'
import { RunWatches } from '../watch/run-watches.ts'
import type { Nest, Perform } from '../engine/effects/perform.ts'
import type { NestingHost } from '../nested/nested-run.ts'
import { RunsOfCall } from '../nested/nested-runs.ts'
import { Orphans } from '../nested/orphans.ts'
import type { CoreConfig, Hosting } from './core-config.ts'
import { PassivatedRuns } from './passivated-runs.ts'
import { WakeAlarms } from './wake-alarms.ts'
import { assertStarts } from '../definition/agents-given.ts'
import { assertRegistered, createRegistry, lookUp, type AgentRegistry } from '../definition/registry.ts'
import { reporterOf, type Reporter } from '../report.ts'
import { ReportedPromise } from '../reported-promise.ts'
import { assertKept } from '../agents/kept-options.ts'
import { recast, selectedBy, withStructureOfToday } from '../agents/resolve-versions.ts'
import { cannotGoOn, withAgents } from '../cannot-go-on.ts'
import { registryOf, type RunRegistry } from '../agents/run-registry.ts'
import { OtherProtocols } from '../run/other-protocols.ts'
import type { HostedRun } from '../run/run-host.ts'
import type { HotReload } from './hot-reload.ts'
import { Phases } from './phases/phases.ts'
import { assertOriginStays, assertOuterStays } from '../ending/origins.ts'
import { SignalRouter } from './signal-router.ts'
import { holdFiles } from '../replay/hold-files.ts'
import { ChosenIds } from './chosen-ids.ts'
import type { RunSignal } from '../handle/run.ts'
import { undelivered } from '../handle/read-signal.ts'
import { released, type AppendReport, type Claimed, type Store } from '../journal/store.ts'
import { readCall } from '../definition/validate-options.ts'
import type { TenantMeter } from '../engine/effects/tenant-meter.ts'
import { troupeFields } from './troupe-options.ts'
import { selectorsOf, type Selectors, type VersionOverrides } from '../options/version-selectors.ts'

export class Core implements NestingHost {
  readonly registry: AgentRegistry
  readonly admit: ((agent: AgentDefinition, where: string) => void) | undefined
  readonly store: Store
  readonly environment: Environment
  /** The clock of the runs. */
  readonly clock: Clock
  readonly committer: Committer
  readonly queue: SignalQueue
  readonly keeper: LeaseKeeper
  readonly epochs: Epochs
  readonly otherProtocols = new OtherProtocols()
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly observers: readonly Observer[]
  readonly interpreter: InterpreterName | undefined
  readonly door: Perform | undefined
  readonly onDrift: OnDrift
  readonly passivateAfter: number
  readonly pollInterval: number
  readonly leaseTtl: number
  /** Whether it was given a clock, which hosted runs then use too. */
  readonly hasOwnClock: boolean
  readonly report: Reporter
  readonly #live = new SlotMap<HostedRun>()
  readonly passivatedRuns: PassivatedRuns
  readonly #alarms: WakeAlarms
  /** Runs that are being loaded from the store. */
  readonly #coming = new Map<string, Promise<HostedRun>>()
  readonly watches: RunWatches
  readonly #router: SignalRouter
  readonly #chosenIds: ChosenIds
  readonly orphans: Orphans
  #hosting: Hosting | undefined
  /** Versions that runs take unless they select others. */
  readonly selectors: Selectors
  readonly phases: Phases
  readonly appends: AppendTimer

  constructor(config: CoreConfig) {
    const { agents, store: given = memoryStore(), environment = systemEnvironment, isAlone = false } = config
    const { clock = environment.clock } = config
    const { passivateAfter, leaseTtl, pollInterval, onDrift } = { ...defaultsOf(troupeFields), ...config }
    const report = reporterOf(config.onError)
    this.appends = new AppendTimer(environment.clock)
    const store = answeringStore(given, environment.clock, leaseTtl, this.appends)
    const registry = createRegistry(agents.map(asDefinition))
    this.registry = registry
    this.report = report
    this.selectors = selectorsOf(config.versions, 'createTroupe: versions')
    selectedBy(registry, this.selectors, 'createTroupe')
    this.admit = isAlone ? (agent, where) => registry.register(agent, where) : undefined
    this.store = store
    this.environment = environment
    this.clock = clock
    this.hasOwnClock = config.clock !== undefined
    this.inspect = config.inspect
    this.observers = observersOf(config.around)
    this.interpreter = config.interpreter
    this.door = config.door
    this.onDrift = onDrift
    this.passivateAfter = passivateAfter
    this.pollInterval = pollInterval
    this.leaseTtl = leaseTtl
    this.committer = new Committer(store)
    this.epochs = new Epochs(store, report, environment.clock)
    this.queue = new SignalQueue(store, report)
    this.watches = new RunWatches({
      registry,
      store,
      environment,
      pollInterval,
      leaseTtl,
      report,
      interpreter: this.interpreter,
      liveLog: (runId) => this.#live.get(runId)?.eventLog,
    })
    this.phases = new Phases(this)
    this.#router = new SignalRouter(this)
    this.orphans = new Orphans(this)
    this.#chosenIds = new ChosenIds({
      store,
      isHere: (runId) => this.#live.has(runId) || this.passivatedRuns.find(runId) !== undefined,
      assertTakes: (runId) => this.assertTakes(runId),
    })
    this.passivatedRuns = new PassivatedRuns({ store, environment, pollInterval, leaseTtl, report })
    this.#alarms = new WakeAlarms(this, { isAlone, pollInterval })
    this.keeper = new LeaseKeeper(store, this.queue, {
      environment,
      leaseTtl,
      pollInterval,
      epochs: this.epochs,
      takeOver: async (runId) => (await this.reload?.takeOver(runId)) === true,
      onStray: (queued) => this.#router.pass(queued),
      report,
    })
  }

  /** Takes what its troupe does beside its runs. */
  host<Of extends Hosting>(hosting: Of): Of {
    this.#hosting = hosting
    return hosting
  }

  get tenants(): TenantMeter | undefined {
    return this.#hosting?.tenants
  }

  get reload(): HotReload | undefined {
    return this.#hosting?.reload
  }

  // --- runs -------------------------------------------------------------------------------------------------------

  /** Creates a run that is not started yet. Throws a `ConfigurationError`. */
  open(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean): LiveRun {
    this.assertTakes()
    return new LiveRun(this, this.begin(agent, prompt, options, stream, this.clock))
  }

  /** Starts a run. Rejects with a `RunExistsError` for an id that was chosen and is taken. */
  async start(agent: AgentDefinition, prompt: Prompt, options: object): Promise<LiveRun> {
    this.assertTakes()
    const asked = this.#asks(agent, prompt, options, true, this.clock) // what the caller changes from here on does not count
    await this.epochs.known()
    this.assertTakes()
    const run = new LiveRun(this, this.#inEpoch(asked))
    await (run.isIdChosen ? this.#chosenIds.start(run) : run.start())
    return run
  }

  readonly nest: Nest = (call) => new RunsOfCall(this, call)

  async launch(spec: RunSpec, isOwn: boolean): Promise<HostedRun> {
    const run = new LiveRun(this, spec)
    await this.#chosenIds.start(run)
    if (isOwn) await assertOuterStays(this, run)
    return run
  }

  follows(runId: string): () => void {
    const unfollow = this.orphans.follows(runId)
    this.phases.followingChanged(runId)
    return () => {
      unfollow()
      this.phases.followingChanged(runId)
    }
  }

  begin(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean, clock: Clock): RunSpec {
    return this.#inEpoch(this.#asks(agent, prompt, options, stream, clock))
  }

  #asks(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean, clock: Clock): RunSpec {
    this.assertOpen()
    this.assertKnown(agent)
    const { registry, environment } = this
    const { newId } = environment
    const isAlone = this.admit !== undefined
    const hasBlobs = this.store.blobs !== undefined
    const hasMemory = this.store.memory !== undefined
    return createRun(agent, prompt, options, stream, {
      registry,
      selectors: this.selectors,
      now: clock.now(),
      newId,
      hasBlobs,
      hasMemory,
      isAlone,
      traceOf: (run) => traceFrom(this.observers, run, this.report),
    })
  }

  /** The run as it begins on the store. */
  #inEpoch(asked: RunSpec): RunSpec {
    this.tenants?.tenantOf(asked.started.resourceId)
    const started = this.epochs.begins(asked.started)
    return { ...asked, started: this.store.redact?.(started) ?? started }
  }

  assertKnown(agent: AgentDefinition): void {
    assertStarts(agent)
    assertRegistered(this.registry, agent)
  }

  resume(
    runId: string,
    options: object = {},
    first?: RunSignal,
    claiming: Claiming = 'unlessLeft',
  ): Promise<HostedRun> {
    const coming = this.#coming.get(runId)
    if (coming === undefined) return this.#arriving(runId, this.#come(runId, options, first, claiming))
    return coming.then(
      (run) => heeding(run, this.#asked(run, options).signal),
      (error: unknown) => {
        // The options of that caller were wrong, or lack what this one has; or it was a worker.
        const mayGoOtherwise =
          error instanceof ConfigurationError || (claiming === 'always' && error instanceof RunLeftError)
        if (!mayGoOtherwise) throw error
        return this.resume(runId, options, first, claiming)
      },
    )
  }

  /** A run that is here has its functions. Options that are given again are read all the same. */
  #asked(run: HostedRun, options: object): CallOptions {
    const asked = this.#functionsOf(registryOf(this.registry, run.started), run.started, options)
    const trace = traceIn(asked)
    if (trace !== undefined) run.trace(trace)
    return asked
  }

  /** Throws a `ConfigurationError` for an option that the run does not take. */
  #functionsOf(
    registry: RunRegistry,
    started: RunStarted,
    options: object,
  ): RunSpec['functions'] & CallOptions {
    const { pattern } = lookUp(registry, started.agent)
    const where = resuming(started.runId)
    const given = readCall(options, where, pattern)
    assertKept(started, given, where)
    return given
  }

  /** The options of a fork that name what is new in it. Throws a `ConfigurationError`. */
  chosenFor(journal: readonly JournalEntry[], options: object): Pick<CallOptions, 'runId' | 'threadId'> {
    const started = startedOf(journal)
    const { pattern } = lookUp(registryOf(this.registry, started), started.agent)
    return readCall(options, forking(started.runId), pattern)
  }

  /** A run that is on its way into memory has one way: callers that want it meanwhile get the same. */
  #arriving(runId: string, coming: Promise<HostedRun>): Promise<HostedRun> {
    const arrival = coming.finally(() => this.#coming.delete(runId))
    this.#coming.set(runId, arrival)
    return arrival
  }

  async #come(
    runId: string,
    options: object,
    first: RunSignal | undefined,
    claiming: Claiming,
  ): Promise<HostedRun> {
    this.assertOpen()
    const here = this.#live.get(runId) ?? this.passivatedRuns.find(runId)
    if (here !== undefined) {
      const { signal } = this.#asked(here, options)
      await here.revive(first ?? cancelOf(signal), claiming)
      return heeding(here, signal)
    }
    const journal = await this.journal(runId)
    // A run that has ended needs no functions and no owner.
    if (hasEnded(journal)) {
      const started = startedOf(journal)
      const registry = registryOf(this.registry, started)
      const spec = { started, registry, functions: this.#functionsOf(registry, started, options) }
      return this.#goOn(new LiveRun(this, spec), journal)
    }
    const spec = await this.#spec(journal, options, claiming)
    const lease = await this.claim(runId, claiming)
    return this.#goOn(new LiveRun(this, spec, lease), this.journal(runId), first)
  }

  /** Ownership is checked before the error is thrown: another troupe may have all the parts that are missing here. */
  async #spec(journal: readonly JournalEntry[], options: object, claiming: Claiming): Promise<RunSpec> {
    try {
      return this.restoredSpec(journal, options)
    } catch (error) {
      const { runId } = startedOf(journal)
      this.assertTakes(runId)
      await letGoAsClaimed(this, await this.keeper.claimFree(runId, claiming))
      throw error
    }
  }

  restoredSpec(journal: readonly JournalEntry[], options: object, where?: string): RunSpec {
    const started = startedOf(journal)
    const registry = withAgents(started.runId, () => registryOf(this.registry, started))
    return restoreRun(registry, started, options, where ?? resuming(started.runId))
  }

  async claim(runId: string, claiming?: Claiming): Promise<Claimed> {
    this.assertTakes(runId)
    return this.keeper.claim(runId, claiming)
  }

  async #goOn(
    run: LiveRun,
    reading: readonly JournalEntry[] | Promise<readonly JournalEntry[]>,
    first?: RunSignal,
  ): Promise<HostedRun> {
    try {
      const journal = await reading
      if (!hasEnded(journal)) this.assertTakes(run.id)
      run.resume(journal, () => first && void run.signal(first))
    } catch (error) {
      await letGoAsClaimed(this, run.lease)
      await this.reload?.giveBack(run.id, error)
      throw error
    }
    await this.committer.flushed()
    await run.assertOwned()
    return run
  }

  /** Returns the journal of a run with other versions. Throws a `ConfigurationError`. */
  recast(journal: readonly JournalEntry[], versions: VersionOverrides): readonly JournalEntry[] {
    return recast(
      this.registry,
      [startedOf(journal), ...journal.slice(1)],
      selectorsOf(versions, 'fork: versions'),
      this.selectors,
    )
  }

  /** Returns the journal of a fork whose agents have the structure of today; `before`: what its run has on record. */
  asToday(journal: readonly JournalEntry[], before: RunStarted['agents']): readonly JournalEntry[] {
    const now = Math.max(this.clock.now(), journal.at(-1)?.at ?? 0)
    return withStructureOfToday(this.registry, [startedOf(journal), ...journal.slice(1)], { before, now })
  }

  /**
   * Starts a run whose first entries are those of another run. `options`: as the caller gave them. Rejects with a
   * `RunExistsError` for an id that was chosen and is taken.
   */
  async adopt(given: readonly JournalEntry[], options: object, isIdChosen: boolean): Promise<HostedRun> {
    await this.epochs.known()
    const journal = [this.epochs.begins(startedOf(given)), ...given.slice(1)]
    const { runId, forkedFrom = { runId } } = startedOf(journal)
    const spec = this.restoredSpec(journal, options, forking(forkedFrom.runId))
    const adopting = (): Promise<HostedRun> => this.#arriving(runId, this.#adopt(spec, journal))
    if (!isIdChosen) return adopting()
    let adopted: HostedRun | undefined
    const start = async (): Promise<void> => void (adopted = await adopting())
    await this.#chosenIds.start({ id: runId, start })
    return adopted as HostedRun // `start` has set it, or has thrown
  }

  async #adopt(spec: RunSpec, journal: readonly JournalEntry[]): Promise<HostedRun> {
    this.assertTakes()
    const shared = new SharedEntries(this.registry, journal, this.interpreter) // they must replay before they are stored
    shared.assertMayGoOn(this.onDrift)
    await holdFiles(this.store, spec.started, journal)
    const run = new LiveRun(this, { ...spec, context: contextHere() })
    const appends = journal.map((entry) => ({ runId: run.id, entry, lease: run.lease }))
    let report: AppendReport | void
    try {
      report = await this.store.append(appends)
    } catch (cause) {
      throw storeFailure(run.id, 'The store did not take the first entries', cause)
    }
    if (refusedOf(report).size > 0)
      throw storeFailure(run.id, 'The store did not take the first entries', refusedOf(report).get(run.id))
    if (lostOf(report).length > 0) throw new LeaseLostError(run.id)
    await assertOriginStays(this, run)
    return this.#goOn(
      run,
      shared.branchThread(this.store.memory).then(() => journal),
    )
  }

  /** The run was deleted, or is ended by force elsewhere: it goes on here no more. */
  async forget(runId: string): Promise<void> {
    this.#live.get(runId)?.lost()
    await this.passivatedRuns.find(runId)?.catchUp()
  }

  async wake(runId: string): Promise<void> {
    if ((await this.reload?.handOn(runId)) !== true) await this.resume(runId)
  }

  /** The run in memory, once it has arrived. */
  async arrived(runId: string): Promise<HostedRun | undefined> {
    await this.#coming.get(runId)?.catch(() => undefined) // its caller is told
    return this.#live.get(runId)
  }

  release(run: HostedRun): Promise<boolean> {
    return this.phases.release(run)
  }

  isLive(runId: string): boolean {
    return this.#live.has(runId)
  }

  wakeAt(runId: string, at: number | undefined): void {
    if (this.isOpen) this.#alarms.set(runId, at)
  }

  async journal(runId: string, from?: number): Promise<readonly JournalEntry[]> {
    const journal = await this.store.read(runId, from)
    if (journal === undefined) throw new RunNotFoundError(runId)
    return journal
  }

  endBackground(): void {
    this.#hosting?.stop()
    this.#alarms.clear()
  }

  get live(): readonly HostedRun[] {
    return [...this.#live.values()]
  }

  get coming(): readonly Promise<unknown>[] {
    return [...this.#coming.values()]
  }

  isFollowed(runId: string): boolean {
    return this.orphans.isFollowed(runId)
  }

  get closing(): AbortSignal {
    return this.phases.closing
  }

  get isClosed(): boolean {
    return this.closing.aborted
  }

  get isOpen(): boolean {
    return this.phases.name === 'open'
  }

  assertOpen(): void {
    this.phases.assertOpen()
  }

  assertTakes(runId?: string): void {
    this.phases.assertTakes(runId)
  }

  hear(runIds: readonly string[]): Promise<void> {
    return this.#router.hear(runIds)
  }

  /** Delivers a signal to a run in any process. Rejects with a `SignalError` where the run does not wait for it. */
  tell(runId: string, make: () => RunSignal): Promise<void> {
    const telling = async (): Promise<void> => this.#router.tell(runId, make())
    return ReportedPromise.of(telling(), (error) => this.report(undelivered(runId, error)))
  }

  route(runId: string, signal: RunSignal): Promise<void> {
    return this.#router.enqueue(runId, signal)
  }

  // --- calls of runs ----------------------------------------------------------------------------------------------

  entered(run: HostedRun): void {
    const older = this.#live.get(run.id) ?? this.passivatedRuns.find(run.id)
    this.#live.set(run.id, run)
    if (older !== undefined && older !== run) older.lost()
    this.passivatedRuns.remove(run.id)
    this.#alarms.callOff(run.id)
    this.watches.entered(run.id)
    this.orphans.entered(run)
    this.keeper.keep(run)
    this.phases.entered(run)
  }

  left(run: HostedRun): void {
    if (this.#live.get(run.id) === run) this.#live.delete(run.id)
    run.eventLog.dismissObservers()
    if (run.hasEnded) this.reload?.ended(run.id)
    this.passivatedRuns.remove(run.id)
    this.orphans.left(run)
    this.keeper.drop(run)
    this.phases.left(run)
  }

  passivated(run: HostedRun, until: { readonly wakeAt?: number }): void {
    this.left(run)
    this.passivatedRuns.add(run)
    this.orphans.entered(run)
    const { id } = run
    const releasing = this.store
      .renew([released(run.lease, until)])
      .then(() => (this.isOpen ? this.hear([id]) : undefined)) // signals that came during the release
      .catch((error: unknown) => {
        const message = `the run "${id}" could not be passivated`
        this.report({ message, code: 'RUN_NOT_PASSIVATED', where: 'store', error, runId: id })
      })
    this.awaitBeforeClose(releasing)
    if (this.isOpen) this.#alarms.set(id, until.wakeAt)
  }

  giveUp(run: HostedRun): void {
    const { id, lease, loss } = run
    const letting = letGo(this, lease)
    this.awaitBeforeClose(cannotGoOn(loss) ? letting.then(() => this.reload?.giveBack(id, loss)) : letting)
  }

  awaitBeforeClose(work: Promise<unknown>): void {
    this.phases.awaitBeforeClose(work)
  }

  holdOn(run: HostedRun): void {
    this.passivatedRuns.hold(run)
  }
}

/** What the options are for, in errors. */
function resuming(runId: string): string {
  return `options for resuming the run "${runId}"`
}

function forking(runId: string): string {
  return `options for forking the run "${runId}"`
}

function heeding(run: HostedRun, signal: AbortSignal | undefined): HostedRun {
  if (signal !== undefined) run.heed(signal)
  return run
}
