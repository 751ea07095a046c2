/** The promises of the simulation on a Postgres in this process, whose connections break. */
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { planOf } from './plan.ts'
import { plantedFaults } from './planted.ts'
import { failureText } from './print.ts'
import { simulate } from './simulate.ts'
import { onPostgres } from './stores.ts'

const seeds = 5

const database = new PGlite()
const openStore = onPostgres(database)
beforeAll(() => database.waitReady)
afterAll(() => database.close())

test.each(Array.from({ length: seeds }, (_, index) => 1 + index))(
  'the world of seed %i keeps every promise',
  async (seed) => {
    const simulation = await simulate(planOf(seed), { openStore })
    expect(simulation.steps).toBeGreaterThan(50)
    if (simulation.findings.length > 0)
      expect.fail(failureText(simulation, { actions: [], trouble: [] }, 'postgres'))
  },
)

test('the same seed gives the same trace', async () => {
  for (const seed of [3]) {
    const one = await simulate(planOf(seed), { openStore })
    const other = await simulate(planOf(seed), { openStore })
    expect(other.trace.join('\n')).toBe(one.trace.join('\n'))
  }
})

describe('a planted fault is found by the check of its name:', () => {
  const names = [
    'a store that gives a run to two owners',
    'appends that are acknowledged before they are made',
    'effects that settle twice',
    'a store that reads other words than were written',
  ]
  test.each(names)('%s', async (name) => {
    const fault = plantedFaults[name]
    const found = new Set<string>()
    for (let seed = 1; seed <= 40 && !found.has(fault?.caughtBy ?? ''); seed++) {
      const { findings } = await simulate(planOf(seed), { openStore, fault })
      for (const { check } of findings) found.add(check)
    }
    expect([...found]).toContain(fault?.caughtBy)
  })
})
