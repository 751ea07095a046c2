/** Runs one plan from its first event to its last check. The same plan gives the same trace, byte for byte. */
import { checkEnd } from './checks/at-the-end.ts'
import type { Finding } from './checks/findings.ts'
import type { Plan } from './plan.ts'
import type { PlantedFault } from './planted.ts'
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

/** `fault`: is planted in its store. Default: none. */
export function simulate(plan: Plan, fault?: PlantedFault): Promise<Simulation> {
  return withStrongReferences(() => simulated(plan, fault))
}

async function simulated(plan: Plan, fault: PlantedFault | undefined): Promise<Simulation> {
  const world = new World(plan, fault)
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
