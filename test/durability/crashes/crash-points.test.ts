/**
 * BEHAVIOUR 40: runs are cut before and after every append and every effect, reopened, and finished: the result is
 * that of the uncut run, settled effects were done once, and none was lost.
 */
import { sqliteStore } from 'troupe/sqlite'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { expectCut, uncut } from './crash-sweep.ts'
import { hashedCompany } from './hashed-company.ts'

let swept = 0

const seeds = Array.from({ length: 45 }, (_, index) => index + 1)
const companyOf = (seed: number) => hashedCompany.bind(undefined, seed)

describe('a process that vanishes', () => {
  test.each(seeds)('at every point of a run of company %i', async (seed) => {
    const company = companyOf(seed)
    const whole = await uncut(company)
    for (let point = 1; point <= whole.points; point++) await expectCut(company, whole, [point])
    swept += whole.points
  })

  test('has vanished at 2 000 points at least', () => {
    expect(swept).toBeGreaterThanOrEqual(2_000)
  })

  test.each(seeds.slice(0, 10))('and the next ones too, in runs of company %i', async (seed) => {
    const company = companyOf(seed)
    const whole = await uncut(company)
    for (let point = 2; point <= whole.points; point += 11) {
      await expectCut(company, whole, [point, 1 + (point % 5), 3 + (point % 11)])
    }
  })
})

describe.each(['breaks', 'closes'] as const)('a process whose store or troupe %s', (ending) => {
  test.each(seeds.slice(0, 10))('in a run of company %i', async (seed) => {
    const company = companyOf(seed)
    const whole = await uncut(company)
    for (let point = 1; point <= whole.points; point += 5)
      await expectCut(company, whole, [point], { ending })
  })
})

test.each([3, 6, 12])('on SQLite, in runs of company %i', async (seed) => {
  using folder = temporaryFolder()
  const company = companyOf(seed)
  const whole = await uncut(company)
  for (let point = 1; point <= whole.points; point += 9) {
    const store = sqliteStore(folder.file(`${point}.db`))
    await expectCut(company, whole, [point], { store })
    await store.close()
  }
})
