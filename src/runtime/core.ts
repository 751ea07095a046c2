/** What stands behind a troupe: its agents, its store, and the runs that are live or parked in this process. */
import { nanoid } from 'nanoid'
import type { InspectionEvent } from 'xstate'
import type { Prompt } from '../actors/message.ts'
import {
  ConfigurationError,
  RunNotFoundError,
  RunOwnedError,
  toErrorData,
  TroupeError,
  type ErrorData,
} from '../errors.ts'
import { begin, beginAgain } from './begin.ts'
import { inBackground, systemClock, type Clock } from './clock.ts'
import { startedOf } from './check-entry.ts'
import { Committer } from './committer.ts'
import type { AgentDefinition } from './definition.ts'
import { hasEnded, type JournalEntry } from './journal.ts'
import { Keeper } from './keeper.ts'
import { LiveRun, type Beginning } from './live-run.ts'
import { memoryStore } from './memory-store.ts'
import { createRegistry, lookUp, register, type Registry } from './registry.ts'
import { report } from './report.ts'
import type { HostedRun, RunHost } from './run-host.ts'
import type { Run } from './run.ts'
import type { Lease, Store } from './store.ts'

export interface CoreConfig {
  readonly agents: readonly AgentDefinition[]
  readonly store?: Store
  readonly inspect?: (event: InspectionEvent) => void
  readonly clock?: Clock
  readonly passivateAfter?: number
  readonly leaseTtl?: number
  readonly pollInterval?: number
  /** A troupe that nobody can reach any more must not keep the process alive. */
  readonly isAlone?: boolean
}

/** What became of a look at the unfinished runs of the store. */
export interface Recovery {
  /** They go on here. */
  readonly runs: readonly Run[]
  /** Another troupe has them, or had them until its process ended: their leases have not run out. */
  readonly owned: readonly string[]
  /** They cannot go on here, and why: an agent is missing, an agent has changed, functions are missing. */
  readonly refused: readonly { readonly runId: string; readonly error: ErrorData }[]
}

export class Core implements RunHost {
  readonly registry: Registry
  readonly admit: ((agent: AgentDefinition, where: string) => void) | undefined
  readonly store: Store
  readonly clock: Clock
  readonly committer: Committer
  readonly keeper: Keeper
  readonly inspect: ((event: InspectionEvent) => void) | undefined
  readonly passivateAfter: number
  readonly #live = new Map<string, HostedRun>()
  /** Suspended and out of memory. One that could not be made again from its journal is held, the others are not. */
  readonly #parked = new Map<string, { readonly run: WeakRef<HostedRun>; readonly held?: HostedRun }>()
  readonly #wakes = new Map<string, () => void>()
  #watch: ReturnType<typeof setInterval> | undefined
  readonly #isAlone: boolean
  #isClosed = false

  constructor(config: CoreConfig) {
    const { agents, store = memoryStore(), clock = systemClock, inspect } = config
    const { passivateAfter = 1_000, leaseTtl = 30_000, pollInterval = 1_000 } = config
    const registry = createRegistry(agents)
    this.registry = registry
    this.admit = config.isAlone ? (agent, where) => register(registry, agent, where) : undefined
    this.store = store
    this.clock = clock
    this.inspect = inspect
    this.passivateAfter = passivateAfter
    this.#isAlone = config.isAlone ?? false
    this.committer = new Committer(store)
    this.keeper = new Keeper(store, { owner: nanoid(), leaseTtl, pollInterval })
  }

  // --- runs -------------------------------------------------------------------------------------------------------

  /** A run that is still to be started. Throws a `ConfigurationError`. */
  open(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean): LiveRun {
    return new LiveRun(this, this.begin(agent, prompt, options, stream, this.clock))
  }

  begin(agent: AgentDefinition, prompt: Prompt, options: object, stream: boolean, clock: Clock): Beginning {
    this.assertOpen()
    this.assertKnown(agent)
    return begin(agent, prompt, options, stream, clock.now())
  }

  assertKnown(agent: AgentDefinition): void {
    if (lookUp(this.registry, agent?.id) !== agent) {
      throw new ConfigurationError(`This troupe has another agent with the id "${agent.id}".`)
    }
  }

  /** The run, live in this process, or as it ended. */
  async resume(runId: string, options: object = {}): Promise<HostedRun> {
    this.assertOpen()
    const here = this.#live.get(runId) ?? this.#parked.get(runId)?.run.deref()
    if (here !== undefined) {
      await here.revive()
      return here
    }
    const journal = await this.journal(runId)
    const beginning = this.beginAgain(journal, options)
    // What has ended needs no owner.
    if (hasEnded(journal)) return this.#goOn(new LiveRun(this, beginning), journal)
    const run = new LiveRun(this, beginning, await this.claim(runId))
    return this.#goOn(run, await this.journal(runId))
  }

  beginAgain(journal: readonly JournalEntry[], options: object): Beginning {
    const started = startedOf(journal)
    return beginAgain(lookUp(this.registry, started.agent), started, options)
  }

  /** Throws a `RunOwnedError`. */
  async claim(runId: string): Promise<Lease> {
    const lease = await this.keeper.claim(runId)
    if (lease === undefined) throw new RunOwnedError(runId)
    return lease
  }

  async #goOn(run: LiveRun, journal: readonly JournalEntry[]): Promise<LiveRun> {
    try {
      run.resume(journal)
    } catch (error) {
      await this.store.release([run.lease])
      throw error
    }
    await this.committer.flushed()
    return run
  }

  /** A run whose first entries are those of another. */
  async adopt(beginning: Beginning, journal: readonly JournalEntry[]): Promise<LiveRun> {
    this.assertOpen()
    const run = new LiveRun(this, beginning)
    await this.store.append(journal.map((entry) => ({ runId: run.id, entry, lease: run.lease })))
    return this.#goOn(run, journal)
  }

  async recover(): Promise<Recovery> {
    const runs: Run[] = []
    const owned: string[] = []
    const refused: { runId: string; error: ErrorData }[] = []
    for (const { runId, status, wakeAt } of await this.store.list({ status: 'unfinished' })) {
      if (this.#live.has(runId) || this.#parked.has(runId)) continue
      if (status === 'suspended') {
        this.#wake(runId, wakeAt)
        continue
      }
      try {
        runs.push((await this.resume(runId)).run)
      } catch (error) {
        if (error instanceof RunOwnedError) owned.push(runId)
        else refused.push({ runId, error: toErrorData(error) })
      }
    }
    return { runs, owned, refused }
  }

  /** Looks again and again for runs whose owner has gone. */
  watch(every: number): void {
    clearInterval(this.#watch)
    const look = (): void => {
      this.#lookAgain().catch((error: unknown) =>
        report('the store could not be asked for unfinished runs', error),
      )
    }
    this.#watch = inBackground(setInterval(look, every))
  }

  async #lookAgain(): Promise<void> {
    const { refused } = await this.recover()
    for (const { runId, error } of refused) report(`the run "${runId}" cannot be resumed`, error)
  }

  async journal(runId: string): Promise<readonly JournalEntry[]> {
    const journal = await this.store.read(runId)
    if (journal === undefined) throw new RunNotFoundError(runId)
    return journal
  }

  /** Lets go of everything here: no run ends by it, and another troupe may go on with each. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#watch)
    await this.committer.flushed()
    for (const callOff of this.#wakes.values()) callOff()
    const runs = [...this.#live.values()]
    for (const run of runs) {
      run.abandon()
      this.keeper.drop(run)
    }
    this.#live.clear()
    this.#parked.clear()
    await this.store.release(runs.map((run) => run.lease))
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  assertOpen(): void {
    if (this.#isClosed) throw new TroupeError('TROUPE_CLOSED', 'This troupe was closed.')
  }

  // --- what runs tell it ------------------------------------------------------------------------------------------

  entered(run: HostedRun): void {
    const older = this.#live.get(run.id) ?? this.#parked.get(run.id)?.run.deref()
    this.#live.set(run.id, run)
    if (older !== undefined && older !== run) older.lost()
    this.#parked.delete(run.id)
    this.#wakes.get(run.id)?.()
    this.#wakes.delete(run.id)
    this.keeper.keep(run)
  }

  left(run: HostedRun): void {
    if (this.#live.get(run.id) === run) this.#live.delete(run.id)
    this.keeper.drop(run)
  }

  parked(run: HostedRun, wakeAt: number | undefined): void {
    this.left(run)
    this.#parked.set(run.id, { run: new WeakRef(run), ...(run.isDurable ? {} : { held: run }) })
    this.store
      .release([{ ...run.lease, parked: wakeAt === undefined ? {} : { wakeAt } }])
      .catch((error: unknown) => report(`the run "${run.id}" could not be parked`, error))
    this.#wake(run.id, wakeAt)
  }

  /** Brings a parked run back when a timer of it is due, whoever parked it. */
  #wake(runId: string, wakeAt: number | undefined): void {
    if (wakeAt === undefined || this.#wakes.has(runId)) return
    const callOff = this.clock.after(
      Math.max(0, wakeAt - this.clock.now()),
      () => {
        this.#wakes.delete(runId)
        this.resume(runId).catch((error: unknown) => {
          if (!(error instanceof RunOwnedError)) report(`the run "${runId}" could not be revived`, error)
        })
      },
      { background: this.#isAlone },
    )
    this.#wakes.set(runId, callOff)
  }
}
