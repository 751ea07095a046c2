/** Where a run comes from that is forked dry. The engine of the fork is loaded at the first fork: readers of runs need none. */
import { coreOf } from '../troupe/core-of.ts'
import type { DryFork, DryForkOptions } from './dry-fork.ts'
import type { DryHost } from './dry-store.ts'

/** The agents and the store of a troupe; `undefined` for another service of runs. */
export function dryHostOf(troupe: object): DryHost | undefined {
  const core = coreOf(troupe)
  return core && { agents: core.registry.named, store: core.store }
}

/** Rejects as `fork` of a troupe does: with a `RunNotFoundError`, a `ConfigurationError`, and a `JournalMismatchError`. */
export async function dryFork(host: DryHost, runId: string, options: DryForkOptions): Promise<DryFork> {
  const { beginDryFork } = await import('./dry-fork.ts')
  return beginDryFork(host, runId, options)
}
