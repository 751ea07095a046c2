/** Processes that share a store, one after the other or side by side. */
import type { AnyAgent, Run, Store, SuspendedResult, Troupe, TroupeConfig } from 'troupe'
import { expect } from 'vitest'
import { systemEnvironment, type Environment } from '../../src/runtime/environment.ts'
import { createTroupeIn } from '../../src/runtime/troupe/troupe.ts'
import { MortalWorld } from './crashes/mortal-world.ts'

export interface Process {
  readonly troupe: Troupe
  /** Ends it: nothing that it still does reaches the store. */
  end(): void
}

/** A process after the end of those before it: it need not wait for their leases to run out. */
export function processOn(
  store: Store,
  agents: readonly AnyAgent[],
  config: Partial<TroupeConfig> = {},
  environment: Environment = systemEnvironment,
): Process {
  const world = new MortalWorld()
  const all = { agents, store: world.store(store), pollInterval: 5, ...config }
  const troupe = createTroupeIn(world.environment(environment), all)
  return { troupe, end: () => world.end() }
}

/** The one run that was recovered. */
export async function recovered(troupe: Troupe): Promise<Run> {
  const { runs, owned, refused } = await troupe.recover()
  const [run] = runs
  if (run === undefined || runs.length > 1 || owned.length > 0 || refused.length > 0)
    throw new Error(`Not one run was recovered: ${JSON.stringify({ runs: runs.length, owned, refused })}`)
  return run
}

/** What a run says when only a person can go on. */
export async function suspendedBy(run: Run): Promise<SuspendedResult> {
  const result = await run.whenIdle
  if (result.outcome !== 'suspended') throw new Error(`The run is not suspended but ${result.outcome}.`)
  return result
}

/** Settles when it was called; tells how often it was, and with what. */
export function signpost<T>(): { readonly reached: Promise<T>; readonly seen: T[]; pass(what: T): void } {
  const { promise, resolve } = Promise.withResolvers<T>()
  const seen: T[] = []
  return {
    reached: promise,
    seen,
    pass(what) {
      seen.push(what)
      resolve(what)
    },
  }
}

export const forever = (): Promise<never> => new Promise(() => undefined)

/** Waits until the one run of the store has left memory. */
export async function expectPassivated(store: Store): Promise<void> {
  await expect.poll(async () => (await store.list('runs', {})).items[0]?.isPassivated).toBe(true)
}
