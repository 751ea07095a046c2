/** What must hold in every world, whatever goes wrong in it; and that the checks would find it if it did not. */
import { describe, expect, test } from 'vitest'
import type { CheckName } from './checks/findings.ts'
import { planOf, rollingDeploys, rollingPlanOf, type Plan } from './plan.ts'
import { plantedFaults } from './planted.ts'
import { failureText } from './print.ts'
import { planWithout, shrink } from './shrink.ts'
import { simulate } from './simulate.ts'

const seeds = 50
const atOnce = 25

describe.each(Array.from({ length: seeds / atOnce }, (_, part) => 1 + part * atOnce))(
  'from seed %i on',
  (first) => {
    test(`${atOnce} worlds keep every promise`, async () => {
      for (let seed = first; seed < first + atOnce; seed++) {
        const simulation = await simulate(planOf(seed))
        if (simulation.findings.length > 0) {
          expect.fail(failureText(simulation, { actions: [], trouble: [] }))
        }
      }
    })
  },
)

test('deploys one after the other lose nothing, and call no tool twice that ends in time', async () => {
  let drains = 0
  for (let seed = 1; seed <= 15; seed++) {
    const simulation = await simulate(rollingPlanOf(seed))
    if (simulation.findings.length > 0) expect.fail(failureText(simulation, { actions: [], trouble: [] }))
    drains += simulation.trace.filter((line) => line.includes('has drained:')).length
  }
  expect(drains).toBeGreaterThan(15 * (rollingDeploys / 2))
})

test('the same seed gives the same trace', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const one = await simulate(planOf(seed))
    const other = await simulate(planOf(seed))
    expect(one.trace.length).toBeGreaterThan(50)
    expect(other.trace.join('\n')).toBe(one.trace.join('\n'))
    expect((await simulate(planOf(seed + 1))).trace.join('\n')).not.toBe(one.trace.join('\n'))
  }
})

describe('a planted fault is found by the check of its name:', () => {
  test.each(Object.entries(plantedFaults))('%s', async (_, fault) => {
    const { from = 1 } = fault
    const found: CheckName[] = []
    for (let seed = from; seed < from + 40 && !found.includes(fault.caughtBy); seed++) {
      const planned = fault.isRolling === true ? rollingPlanOf : planOf
      const { findings } = await simulate(planned(seed), { fault })
      found.push(...findings.map(({ check }) => check))
    }
    expect(found).toContain(fault.caughtBy)
  })
})

test('a failing seed is made small, and fails again in the same way', async () => {
  const fault = plantedFaults['runs that end twice']
  const failsIn = async (plan: Plan): Promise<Set<CheckName>> =>
    new Set((await simulate(plan, { fault })).findings.map(({ check }) => check))
  const seed = 1
  const less = await shrink(seed, 'oneEnd', failsIn)
  const small = planWithout(seed, less)
  expect(planOf(seed).actions.length).toBeGreaterThan(4)
  expect(small.actions.map(({ type }) => type)).toEqual(['start'])
  const again = await simulate(small, { fault })
  expect(again.findings.map(({ check }) => check)).toContain('oneEnd')
  expect(failureText(again, less)).toContain(
    `Again: npm run simulate -- --seed ${seed} --without ${less.actions.join(',')}`,
  )
})
