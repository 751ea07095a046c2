/**
 * `npm run simulate -- --seeds N [--seed S] [--store postgres] [--rolling]`: N worlds, from seed S on (default 1), in memory or on a
 * Postgres in this process. A seed that fails is shrunk and printed with its trace. `--seed S` alone runs one world and
 * prints its trace in any case. With `--rolling` processes drain at deploys.
 */
import { parseArgs } from 'node:util'
import type { CheckName } from './checks/findings.ts'
import { planOf, rollingPlanOf, type Plan } from './plan.ts'
import { failureText, replayCommand, type StoreName } from './print.ts'
import { isTrouble, planWithout, shrink, type Without } from './shrink.ts'
import { simulate } from './simulate.ts'
import { inMemory, onPostgres, sealedInMemory, type OpenWorldStore } from './stores.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    without: { type: 'string' },
    calm: { type: 'string' },
    store: { type: 'string', default: 'memory' },
    rolling: { type: 'boolean', default: false },
  },
})

function integer(name: string, given: string | undefined, fallback: number): number {
  const value = given === undefined ? fallback : Number(given)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a whole number, not ${given}.`)
}

async function storeNamed(name: string): Promise<{ store: StoreName; openStore: OpenWorldStore }> {
  if (name === 'memory') return { store: name, openStore: inMemory }
  if (name === 'sealed') return { store: name, openStore: sealedInMemory }
  if (name !== 'postgres') throw new Error(`--store must be memory, sealed or postgres, not ${name}.`)
  const { PGlite } = await import('@electric-sql/pglite')
  return { store: name, openStore: onPostgres(await PGlite.create()) }
}

const planned = values.rolling ? rollingPlanOf : planOf
const { store, openStore } = await storeNamed(values.store)

const listed = (given = ''): string[] => given.split(',').filter((part) => part !== '')

const first = integer('seed', values.seed, 1)
const without: Without = {
  actions: listed(values.without).map((part) => integer('without', part, 0)),
  trouble: listed(values.calm).filter(isTrouble),
}

if (values.seeds === undefined) {
  const simulation = await simulate(planWithout(first, without, planned), { openStore })
  console.log(simulation.trace.join('\n'))
  console.log(
    simulation.findings.length === 0
      ? '\nNothing was found.'
      : failureText({ ...simulation, trace: [] }, without, store),
  )
  if (simulation.findings.length > 0) process.exitCode = 1
} else {
  await many(integer('seeds', values.seeds, 0))
}

async function many(seeds: number): Promise<void> {
  const failsIn = async (plan: Plan): Promise<Set<CheckName>> =>
    new Set((await simulate(plan, { openStore })).findings.map(({ check }) => check))
  const failed: number[] = []
  const totals = { steps: 0, runs: 0, entries: 0, drains: 0 }
  const begun = performance.now()
  for (let seed = first; seed < first + seeds; seed++) {
    const simulation = await simulate(planWithout(seed, without, planned), { openStore })
    totals.steps += simulation.steps
    totals.runs += simulation.runs
    totals.entries += simulation.entries
    totals.drains += simulation.trace.filter((line) => line.includes('has drained:')).length
    const [finding] = simulation.findings
    if (finding !== undefined) {
      failed.push(seed)
      console.error(`Seed ${seed}: ${finding.check}: ${finding.message.slice(0, 300)}`)
      if (failed.length === 1) {
        const less = await shrink(seed, finding.check, failsIn, planned)
        console.error(
          failureText(await simulate(planWithout(seed, less, planned), { openStore }), less, store),
        )
      } else {
        console.error(`Again: ${replayCommand(seed, without, store, values.rolling)}`)
      }
    }
    if ((seed + 1 - first) % 1_000 === 0) tell(seed + 1 - first)
  }
  tell(seeds)
  if (failed.length > 0) process.exitCode = 1

  function tell(done: number): void {
    const seconds = (performance.now() - begun) / 1_000
    const { user, system } = process.cpuUsage()
    const cpu = (user + system) / 1_000_000
    console.log(
      `${done} seeds from ${first} on: ${failed.length} failed; ${totals.runs} runs, ${totals.entries} entries, ${totals.drains} drains, ` +
        `${totals.steps} steps; ${(done / seconds).toFixed(1)} seeds a second, ${((cpu / done) * 1_000).toFixed(1)} ms of CPU each`,
    )
  }
}
