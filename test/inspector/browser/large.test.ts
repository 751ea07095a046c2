/**
 * A run of ten thousand entries costs the page no more elements and no more requests than one of five hundred, and one with five
 * hundred agents at once no more elements than one with fifty.
 */
import { describe, expect, test } from 'vitest'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { counter, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

interface Work {
  readonly entries: number
  /** Elements of the document, after the first paint and after the search. */
  readonly elements: readonly number[]
  /** Requests other than those that repeat while the page is open, or by time. */
  readonly requests: readonly string[]
}

/** Opens a run of this many steps, goes back and forth in it, and searches it. */
async function workOf(steps: number): Promise<Work> {
  const agent = counter(steps)
  await using office = openOffice([agent])
  const run = await office.troupe.start(agent, 'Count.')
  await run.result
  const entries = (await office.troupe.journal(run.id)).length
  await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
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
  // One after the other: how many of them together take one request is a matter of time.
  for (let entry = 11; entry <= 101; entry += 10) {
    await opened.press('Shift+ArrowRight')
    await shows(entry)
    await rested()
  }
  await opened.press('End')
  await shows(entries)
  await opened.press('/')
  await page.keyboard.type('run.started Count.')
  await page.getByRole('combobox', { name: 'Search the entries' }).fill('Counted')
  await opened.press('Enter')
  await rested()
  await opened.press('Escape', '3')
  await page.getByRole('grid', { name: 'Events' }).waitFor()
  // A search takes as many pages as the machine needs time.
  const pollings = /\/(awaiting|service|charts|search)$/
  return {
    entries,
    elements: [first, await elements()],
    requests: opened.requests.filter((request) => !pollings.test(request)),
  }
}

/** A supervisor that delegates this many times at once. */
function wide(count: number) {
  const clerk = worker('clerk', [], { otherwise: 'Done.' }).agent
  const delegations = Array.from({ length: count }, (_, part) => to('clerk', `Part ${part}.`))
  const options = { toolCallConcurrency: count, maxToolCallsPerStep: count, agents: { clerk } }
  return lead('wide', [calls(...delegations)], { ...options, otherwise: 'All done.' }).agent
}

/** Elements at the end of the run, at the entry that has started all agents, and at the first one with the last lanes in sight. */
async function elementsOfWide(count: number): Promise<readonly number[]> {
  const agent = wide(count)
  await using office = openOffice([agent])
  const run = await office.troupe.start(agent, 'Do it all.')
  await run.result
  const { length } = await office.troupe.journal(run.id)
  await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
  const { page } = opened
  const elements = () => page.evaluate<number>("document.querySelectorAll('*').length")
  const rested = async () => {
    await page.getByText('What it led to').waitFor()
    await expect.poll(() => page.locator('[aria-busy=true]').count(), soon).toBe(0)
  }
  await opened.showsEntry(length, length)
  await rested()
  const atEnd = await elements()
  await opened.press('Home', 'ArrowRight')
  await opened.showsEntry(2, length)
  await rested()
  await page.getByRole('button', { name: /^Show all [\d,]+ actors$/ }).waitFor()
  const atStart = await elements()
  const lanes = page.locator('.lanes')
  await lanes.evaluate('(element) => (element.scrollTop = element.scrollHeight)')
  // The name of the lane stays in sight.
  const name = page.locator('.lane-names').getByText('clerk')
  const [of, around] = [await name.boundingBox(), await lanes.boundingBox()]
  expect(of?.y).toBeGreaterThanOrEqual(around?.y ?? Infinity)
  await opened.press('Home')
  await rested()
  return [atEnd, atStart, await elements()]
}

describe.skipIf(isLeftOut)('a wide run', () => {
  useBrowser()

  test('costs the page as much as a narrow one, and its lane keeps its name', async () => {
    const [narrow, broad] = [await elementsOfWide(50), await elementsOfWide(500)]
    for (const [at, elements] of broad.entries()) expect(elements).toBeLessThan((narrow[at] ?? 0) * 1.3)
  })
})

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
    const most = Math.min(short.requests.length + 3, 24)
    expect(long.requests.length > most ? long.requests : []).toEqual([]) // all of them, where they are too many
  })
})
