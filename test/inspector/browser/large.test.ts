/** A run of ten thousand entries costs the page no more elements and no more requests than one of five hundred. */
import { describe, expect, test } from 'vitest'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { counter, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

interface Work {
  readonly entries: number
  /** Elements of the document, after the first paint and after the search. */
  readonly elements: readonly number[]
  /** Requests other than those that repeat while the page is open. */
  readonly requests: readonly string[]
}

/** Opens a run of this many steps, goes back and forth in it, and searches it. */
async function workOf(steps: number): Promise<Work> {
  const agent = counter(steps)
  await using office = openOffice([agent])
  const run = await office.troupe.start(agent, 'Count.')
  await run.result
  const entries = (await office.troupe.journal(run.id)).length
  await using opened = await OpenedPage.of(office.view, `/runs/${run.id}`)
  const { page } = opened
  const shows = (entry: number) =>
    page
      .getByText(`entry ${entry.toLocaleString('en')} of ${entries.toLocaleString('en')}`, { exact: true })
      .waitFor()
  const rested = async () => {
    await expect.poll(() => page.locator('[aria-busy=true]').count(), soon).toBe(0)
  }
  const elements = () => page.evaluate<number>("document.querySelectorAll('*').length")
  await shows(entries)
  await page.getByText('What it led to').waitFor()
  await rested()
  const first = await elements()
  await opened.press('Home')
  await shows(1)
  await opened.press(...Array.from({ length: 10 }, () => 'Shift+ArrowRight'))
  await shows(101)
  await opened.press('End')
  await shows(entries)
  await opened.press('/')
  await page.keyboard.type('run.started Count.')
  await page.getByRole('searchbox').fill('Counted')
  await opened.press('Enter')
  await rested()
  await opened.press('Escape', '3')
  await page.getByRole('grid', { name: 'Events' }).waitFor()
  const pollings = /\/api\/(awaiting|service|charts)$/
  return {
    entries,
    elements: [first, await elements()],
    requests: opened.requests.filter((request) => !pollings.test(request)),
  }
}

describe.skipIf(isLeftOut)('a long run', () => {
  useBrowser()

  test('costs the page as much as a short one', async () => {
    const short = await workOf(170)
    const long = await workOf(3340)
    expect(short.entries).toBeGreaterThan(500)
    expect(long.entries).toBeGreaterThan(10_000)
    const [firstOfShort = 0, lastOfShort = 0] = short.elements
    const [firstOfLong = 0, lastOfLong = 0] = long.elements
    expect(firstOfLong).toBeLessThan(firstOfShort * 1.2)
    expect(lastOfLong).toBeLessThan(lastOfShort * 1.2)
    expect(long.requests.length).toBeLessThanOrEqual(short.requests.length + 3)
    expect(long.requests.length).toBeLessThan(25)
  })
})
