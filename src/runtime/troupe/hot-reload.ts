/**
 * The troupes of this process under hot reload. A module that is loaded again makes another troupe beside the older one, which
 * still holds its runs. The newer troupe asks the older one to release a run that can go on here, and claims it as any free run:
 * leases and fences are those of two processes. Work in the background goes to the newest troupe.
 */
import { ConfigurationError, LeaseLostError, RunNotFoundError, RunOwnedError } from '../../errors.ts'
import { cannotGoOn } from '../cannot-go-on.ts'
import { isRecord } from '../../actors/values/json.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import { hasEnded, type JournalEntry } from '../journal/journal.ts'
import type { RunSummary } from '../journal/run-index.ts'
import type { RunStore } from '../journal/store.ts'
import type { OnDrift } from '../program/recorded.ts'
import { assertGoesOn } from '../replay/goes-on.ts'
import type { HostedRun } from '../run/run-host.ts'

type Named = Pick<RunSummary, 'runId' | 'startedAt'>

/** A troupe as others of its process see it, also those of another copy of this package. */
interface Generation {
  /** The agent that a run takes here; `undefined`: there is none. A module that is loaded again makes another object of it. */
  agent(named: NamedAgent): object | undefined
  /** Whether it has the run in memory, and may release it. */
  mayHandOver(runId: string): Promise<boolean>
  /** Releases a run that it has in memory. Resolves when the store has the release; `false`: it keeps the run, or has none. */
  handOver(run: Named): Promise<boolean>
  /** Goes on with a run that is due. `false`: it cannot. */
  takeUp(run: Named): Promise<boolean>
  /** Goes on with a run that it has handed over, and that could not go on elsewhere. */
  takeBack(run: Named): Promise<void>
}

interface ReloadingHost {
  readonly registry: AgentRegistry
  readonly interpreter: InterpreterName | undefined
  readonly onDrift: OnDrift
  readonly store: Pick<RunStore, 'list'>
  readonly isOpen: boolean
  /** Rejects with a `RunNotFoundError`. */
  journal(runId: string): Promise<readonly JournalEntry[]>
  /** Throws a `ConfigurationError` where an agent, or a function of the run, is not here. */
  restoredSpec(journal: readonly JournalEntry[], options: object): unknown
  /** The run in memory, once it has arrived. */
  arrived(runId: string): Promise<HostedRun | undefined>
  /** Whether a call that is under way here follows the run: it is a part of that call. */
  isFollowed(runId: string): boolean
  /** Resolves when the store has taken the release of the run. `false`: the run stays. */
  release(run: HostedRun): Promise<boolean>
  resume(runId: string): Promise<unknown>
}

/** An agent of a run, in the version that the run takes. */
interface NamedAgent {
  readonly id: string
  readonly version: string | undefined
}

/** `given`: the caller has given the functions of the run, and they were checked. */
type Functions = 'needed' | 'given'

interface Origin {
  readonly holder: WeakRef<Generation>
  readonly run: Named
}

const generationsKey = Symbol.for('troupe.generations')

/** Oldest first. A troupe that nobody holds has no run in memory, and need not stay for this list. */
function generations(): WeakRef<Generation>[] {
  const global = globalThis as { [generationsKey]?: WeakRef<Generation>[] }
  return (global[generationsKey] ??= [])
}

function heldOf(all: readonly WeakRef<Generation>[]): Generation[] {
  return all.flatMap((one) => one.deref() ?? [])
}

/** The agents that the journal of a run names: those of its beginning, and those that functions of the run have made since. */
function namedAgents([started, ...entries]: readonly JournalEntry[]): readonly NamedAgent[] {
  if (started?.type !== 'run.started') return []
  const { agent, agents = {}, version, versions = {} } = started
  const ids = new Set([agent, ...Object.keys(agents), ...entries.flatMap(madeIn)])
  return Array.from(ids, (id) => ({ id, version: id === agent ? version : (versions[id] ?? undefined) }))
}

/** The outcome of a function of the run names the agents that it has made, and the agents of its handoffs. */
function madeIn(entry: JournalEntry): readonly string[] {
  if (entry.type !== 'effect.settled' || entry.kind !== 'hook') return []
  const { agents, handoffs } = fieldsOf(entry.settlement.value)
  return [agents, handoffs].flatMap((made) =>
    Object.values(fieldsOf(made)).flatMap((one) => {
      const { id } = fieldsOf(one)
      return typeof id === 'string' ? [id] : []
    }),
  )
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** The part of one troupe. */
export class HotReload implements Generation {
  readonly #host: ReloadingHost
  /** Makes the list of others as short as their memory: it lives as long as the troupe. */
  readonly #self = new WeakRef<Generation>(this)
  /** By run id, the troupe that has released the run to this one, and the run as it knows it. */
  readonly #from = new Map<string, Origin>()
  /** Runs that stop here, and were given back: each attempt would abort what is under way there. */
  readonly #givenBack = new Set<string>()

  constructor(host: ReloadingHost) {
    this.#host = host
    const all = generations()
    const gone = all.filter((one) => one.deref() === undefined)
    for (const one of gone) all.splice(all.indexOf(one), 1)
    all.push(this.#self)
  }

  /** The troupe is closed. */
  leave(): void {
    const all = generations()
    const at = all.indexOf(this.#self)
    if (at >= 0) all.splice(at, 1)
  }

  get #older(): Generation[] {
    const all = generations()
    return heldOf(all.slice(0, Math.max(0, all.indexOf(this.#self))))
  }

  get #newer(): Generation[] {
    const all = generations()
    const at = all.indexOf(this.#self)
    return at < 0 ? [] : heldOf(all.slice(at + 1))
  }

  /**
   * Whether an agent of the run was loaded again between the other troupe and this one. A run whose agents are the same objects
   * in both stays where it is: no edit is about it.
   */
  #wasReloaded(journal: readonly JournalEntry[], other: Generation): boolean {
    return namedAgents(journal).some((named) => this.agent(named) !== other.agent(named))
  }

  /** Asks older troupes for a run that is owned and can go on here. `true`: one had it, and has released it. */
  async takeOver(runId: string): Promise<boolean> {
    return this.#older.length > 0 && (await this.#takeOver(runId, 'given'))
  }

  /** Lets older troupes begin to release those of these runs that can go on here. */
  prepare(runs: readonly RunSummary[]): void {
    if (this.#older.length > 0) void this.#prepare(runs)
  }

  async #prepare(runs: readonly RunSummary[]): Promise<void> {
    try {
      for (const run of runs) {
        if (!this.#host.isOpen) return
        const holder = await this.#holder(run.runId)
        if (holder !== undefined && (await this.#canGoOn(run.runId, 'needed', holder)))
          void this.#askFor(run, holder)
      }
    } catch {
      // The store has failed: the claim of each run asks again, and its caller is told.
    }
  }

  async #takeOver(runId: string, functions: Functions): Promise<boolean> {
    const holder = await this.#holder(runId)
    if (holder === undefined || !(await this.#canGoOn(runId, functions, holder))) return false
    const run = await this.#find(runId)
    return run !== undefined && this.#askFor(run, holder)
  }

  async #askFor(run: Named, holder: Generation): Promise<boolean> {
    if (!(await holder.handOver(run))) return false
    this.#from.set(run.runId, { holder: new WeakRef(holder), run })
    return true
  }

  /** The older troupe that has the run, and may release it. */
  async #holder(runId: string): Promise<Generation | undefined> {
    if (this.#givenBack.has(runId)) return undefined
    for (const one of this.#older) if (await one.mayHandOver(runId)) return one
    return undefined
  }

  /**
   * By the journal of the store: the owner is not disturbed for a run that would stop here. `holder`: the troupe that has the run,
   * where that is to be asked for it.
   */
  async #canGoOn(runId: string, functions: Functions, holder?: Generation): Promise<boolean> {
    const host = this.#host
    try {
      const journal = await host.journal(runId)
      if (hasEnded(journal) || (holder !== undefined && !this.#wasReloaded(journal, holder))) return false
      if (functions === 'needed') host.restoredSpec(journal, {})
      assertGoesOn(host, journal)
      return true
    } catch (error) {
      const isNotHere = error instanceof ConfigurationError || error instanceof RunNotFoundError
      if (isNotHere || cannotGoOn(error)) return false
      throw error
    }
  }

  /** The run does not go on here, by this error, and is free: the troupe that has released it goes on with it. */
  async giveBack(runId: string, error: unknown): Promise<void> {
    const from = this.#from.get(runId)
    this.#from.delete(runId)
    if (from === undefined) return
    if (cannotGoOn(error)) this.#givenBack.add(runId)
    await from.holder.deref()?.takeBack(from.run)
  }

  /** The run has ended. */
  ended(runId: string): void {
    this.#from.delete(runId)
    this.#givenBack.delete(runId)
  }

  /** Leaves a run that is due to the newest troupe that can go on with it. `false`: there is none. */
  async handOn(runId: string): Promise<boolean> {
    const newer = this.#newer
    const run = newer.length === 0 ? undefined : await this.#find(runId)
    if (run === undefined) return false
    const journal = await this.#host.journal(runId)
    for (const one of newer.toReversed())
      if (this.#wasReloaded(journal, one) && (await one.takeUp(run))) return true
    return false
  }

  async #find(runId: string): Promise<RunSummary | undefined> {
    return (await this.#host.store.list('runs', { runId })).items[0]
  }

  // --- calls of other troupes, none of which rejects: an error here is none of their callers ----------------------------

  agent({ id, version }: NamedAgent): object | undefined {
    const { registry } = this.#host
    const versioned = registry.versionsOf(id).find((agent) => agent.version === version)
    return versioned ?? (version === undefined ? registry.newest(id, 'published') : undefined)
  }

  async mayHandOver(runId: string): Promise<boolean> {
    return (await this.#host.arrived(runId)) !== undefined && !this.#host.isFollowed(runId)
  }

  async handOver({ runId, startedAt }: Named): Promise<boolean> {
    try {
      const run = await this.#host.arrived(runId)
      const isOurs = run !== undefined && (await this.#find(runId))?.startedAt === startedAt
      return isOurs && !this.#host.isFollowed(runId) && (await this.#host.release(run))
    } catch {
      return false // its store has failed: the run is an owned run for the other troupe
    }
  }

  async takeUp({ runId, startedAt }: Named): Promise<boolean> {
    const host = this.#host
    if (!host.isOpen) return false
    try {
      const run = await this.#find(runId)
      if (run?.startedAt !== startedAt || !host.registry.has(run.agent)) return false
      if (!(await this.#canGoOn(runId, 'needed'))) return false
      await host.resume(runId)
      return true
    } catch (error) {
      return error instanceof RunOwnedError || error instanceof LeaseLostError
    }
  }

  async takeBack({ runId, startedAt }: Named): Promise<void> {
    try {
      const isOurs = this.#host.isOpen && (await this.#find(runId))?.startedAt === startedAt
      if (isOurs) await this.#host.resume(runId)
    } catch {
      // The run is free: any recovery goes on with it, and tells why it cannot.
    }
  }
}
