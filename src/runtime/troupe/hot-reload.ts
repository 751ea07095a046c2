/**
 * The troupes of this process under hot reload. A module that is loaded again makes another troupe beside the older one, which
 * still holds its runs. The newer troupe asks the older one to release a run, and claims it as any free run: leases and fences
 * are those of two processes. Work in the background goes to the newest troupe.
 */
import { LeaseLostError, RunOwnedError } from '../../errors.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import type { RunSummary } from '../journal/run-index.ts'
import type { RunStore } from '../journal/store.ts'
import type { HostedRun } from '../run/run-host.ts'

type Named = Pick<RunSummary, 'runId' | 'startedAt'>

/** A troupe as others of its process see it, also those of another copy of this package. */
interface Generation {
  /** Releases a run that it has in memory. Resolves when the store has the release; `false`: it has no such run. */
  handOver(run: Named): Promise<boolean>
  /** Goes on with a run that is due. `false`: it cannot. */
  takeUp(run: Named): Promise<boolean>
}

interface ReloadingHost {
  readonly registry: AgentRegistry
  readonly store: Pick<RunStore, 'list'>
  readonly isOpen: boolean
  /** The run in memory, once it has arrived. */
  arrived(runId: string): Promise<HostedRun | undefined>
  /** Resolves when the store has taken the release of the run. */
  release(run: HostedRun): Promise<void>
  resume(runId: string): Promise<unknown>
}

const generationsKey = Symbol.for('troupe.generations')

/** Oldest first. A troupe that nobody holds has no run in memory, and need not stay for this list. */
function generations(): WeakRef<Generation>[] {
  const global = globalThis as { [generationsKey]?: WeakRef<Generation>[] }
  return (global[generationsKey] ??= [])
}

/** Whether this process is a development server, as Vite and Next tell their programs. */
export function isDevelopment(): boolean {
  const { process } = globalThis as { process?: { readonly env?: Readonly<Record<string, unknown>> } }
  return process?.env?.['NODE_ENV'] === 'development'
}

/** The part of one troupe. */
export class HotReload implements Generation {
  readonly #host: ReloadingHost
  /** Makes the list of others as short as their memory: it lives as long as the troupe. */
  readonly #self = new WeakRef<Generation>(this)

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
    return all.slice(0, Math.max(0, all.indexOf(this.#self))).flatMap((one) => one.deref() ?? [])
  }

  get #newer(): Generation[] {
    const all = generations()
    const at = all.indexOf(this.#self)
    return at < 0 ? [] : all.slice(at + 1).flatMap((one) => one.deref() ?? [])
  }

  /** Asks older troupes for a run that is owned. `true`: one had it, and has released it. */
  async takeOver(runId: string): Promise<boolean> {
    if (this.#older.length === 0) return false
    const run = await this.#find(runId)
    return run !== undefined && this.#askFor(run)
  }

  /** Lets older troupes begin to release these runs, all at once. */
  prepare(runs: readonly RunSummary[]): void {
    if (this.#older.length === 0) return
    for (const run of runs) if (this.#host.registry.has(run.agent)) void this.#askFor(run)
  }

  async #askFor(run: Named): Promise<boolean> {
    const answers = await Promise.all(this.#older.map((one) => one.handOver(run)))
    return answers.includes(true)
  }

  /** Leaves a run that is due to the newest troupe that can go on with it. `false`: there is none. */
  async handOn(runId: string): Promise<boolean> {
    const newer = this.#newer
    const run = newer.length === 0 ? undefined : await this.#find(runId)
    if (run === undefined) return false
    for (const one of newer.toReversed()) if (await one.takeUp(run)) return true
    return false
  }

  async #find(runId: string): Promise<RunSummary | undefined> {
    return (await this.#host.store.list('runs', { runId })).items[0]
  }

  async handOver({ runId, startedAt }: Named): Promise<boolean> {
    const run = await this.#host.arrived(runId)
    const isOurs = run !== undefined && (await this.#find(runId))?.startedAt === startedAt
    if (isOurs) await this.#host.release(run)
    return isOurs
  }

  async takeUp({ runId, startedAt }: Named): Promise<boolean> {
    const host = this.#host
    if (!host.isOpen) return false
    try {
      const run = await this.#find(runId)
      if (run?.startedAt !== startedAt || !host.registry.has(run.agent)) return false
      await host.resume(runId)
      return true
    } catch (error) {
      return error instanceof RunOwnedError || error instanceof LeaseLostError
    }
  }
}
