/**
 * BEHAVIOUR 40, for every pattern alone and for mixed chains: a run is cut before and after each append and each
 * effect, and another process comes to the same result, and does nothing again that was settled.
 */
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { chains, type Nesting } from '../../support/agents/nestings.ts'
import { patterns, patternTree } from '../../support/agents/pattern-tree.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { expectCut, uncut, type Company } from './crash-sweep.ts'
import { withoutRun } from './hashed-company.ts'

/** Memory and configuration are read in the store, not outside. */
const seen = (effect: string): boolean => effect.startsWith('model ') || effect.startsWith('tool ')

function companyOf(nesting: Nesting): Company {
  return (world) =>
    patternTree(nesting, {
      outside: (kind, key, act) => world.effect(`${kind} ${withoutRun(key)}`, act),
    }).agent
}

test.each(patterns)('%s, at every point', async (pattern) => {
  const company = companyOf([pattern])
  const whole = await uncut(company)
  expect(whole.result).toMatchObject({ outcome: 'completed' })
  expect(whole.points).toBeGreaterThan(10)
  for (let point = 1; point <= whole.points; point++) await expectCut(company, whole, [point], { seen })
})

test.each(chains.slice(0, 3).map((nesting) => [nesting.join(' > '), nesting] as const))(
  '%s: and the next process too',
  async (_name, nesting) => {
    const company = companyOf(nesting)
    const whole = await uncut(company)
    const stride = Math.max(1, Math.floor(whole.points / 6))
    for (let point = 1; point <= whole.points; point += stride) {
      await expectCut(company, whole, [point, 3 + (point % 11)], { seen })
    }
  },
)

test.each(patterns)('%s, on SQLite', async (pattern) => {
  using folder = temporaryFolder()
  const company = companyOf([pattern])
  const whole = await uncut(company)
  for (let point = 2; point <= whole.points; point += 17) {
    const store = sqliteStore(folder.file(`${point}.db`))
    await expectCut(company, whole, [point], { seen, store })
    await store.close()
  }
})
