/** Runs one plan from its first event to its last check. The same plan gives the same trace, byte for byte. */
import { checkEnd } from './checks/at-the-end.ts'
import type { Finding } from './checks/findings.ts'
import type { Plan } from './plan.ts'
import type { PlantedFault } from './planted.ts'
import { inMemory, type OpenWorldStore } from './stores.ts'
import { withStrongReferences } from './strong-references.ts'
import { World } from './world.ts'

export interface Simulation {
  readonly plan: Plan
  readonly findings: readonly Finding[]
  readonly trace: readonly string[]
  readonly steps: number
  readonly runs: number
  readonly entries: number
}

export interface SimulateOptions {
  /** Is planted in its store. Default: none. */
  readonly fault?: PlantedFault | undefined
  /** Default: a store in memory. */
  readonly openStore?: OpenWorldStore | undefined
}

export function simulate(plan: Plan, options: SimulateOptions = {}): Promise<Simulation> {
  return withStrongReferences(() => simulated(plan, options))
}

async function simulated(plan: Plan, { fault, openStore = inMemory }: SimulateOptions): Promise<Simulation> {
  const store = await openStore(plan.seed)
  const world = new World(plan, store, fault)
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (error) => world.findings.add('unhandled', String(error)))
  try {
    await world.trouble()
    await world.heal()
    await checkEnd(world)
    await new Promise((resolve) => setImmediate(resolve)) // for what is unhandled
  } finally {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
    await store.close()
  }
  const { findings, trace, scheduler, storeWitness } = world
  const entries = [...storeWitness.runs.values()].reduce((sum, run) => sum + run.entries.length, 0)
  return {
    plan,
    findings: findings.all,
    trace,
    steps: scheduler.steps,
    runs: storeWitness.runs.size,
    entries,
  }
}
