/** The promises of the simulation on a sealed store, of which each process has its own. `npm run simulate -- --store sealed` runs more. */
import { expect, test } from 'vitest'
import { planOf } from '../simulation/plan.ts'
import { failureText } from '../simulation/print.ts'
import { simulate } from '../simulation/simulate.ts'
import { sealedInMemory } from '../simulation/stores.ts'

test.each(Array.from({ length: 20 }, (_, index) => 1 + index))(
  'the world of seed %i keeps every promise',
  async (seed) => {
    const simulation = await simulate(planOf(seed), { openStore: sealedInMemory })
    expect(simulation.steps).toBeGreaterThan(50)
    if (simulation.findings.length > 0)
      expect.fail(failureText(simulation, { actions: [], trouble: [] }, 'sealed'))
  },
)
