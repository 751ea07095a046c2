/** The search in a run: the server looks into whole entries, and a hit that is chosen is the entry that is shown. */
import { describe, expect, test } from 'vitest'
import { createTool } from 'troupe'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'
import { violationsIn } from './support/violations.ts'

const hostile = '<img src=x onerror="window.broken=1">'

function librarian() {
  const read = createTool({
    id: 'read',
    description: 'Reads.',
    inputSchema: z.object({}),
    execute: () => ({ book: `${'page '.repeat(2_000)}the Map of 1632 ${hostile} ${'page '.repeat(2_000)}` }),
  })
  return worker('librarian', [calls({ name: 'read', args: {} })], { tools: { read }, otherwise: 'Read it.' })
    .agent
}

describe.skipIf(isLeftOut)('the search in a run', () => {
  useBrowser()

  test('finds words far into a text, marks them, and a click shows the entry', async () => {
    const agent = librarian()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Find the map.')
    await run.result
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    const search = page.getByRole('combobox', { name: 'Search the entries' })
    await search.waitFor() // a key that is pressed before the page is there is nobody's
    await opened.press('/')
    await page.keyboard.type('1632 map')
    const hits = page.getByRole('listbox', { name: 'Entries that have the words' }).getByRole('option')
    await expect.poll(() => hits.count(), soon).toBeGreaterThan(0)
    const first = hits.first()
    await expect.poll(() => first.locator('mark').allTextContents(), soon).toEqual(['Map', '1632'])
    expect(await first.textContent()).toContain(hostile)
    expect(await violationsIn(opened)).toEqual([])
    await first.click()
    const entries = (await office.troupe.journal(run.id)).map((entry) => JSON.stringify(entry))
    const row = entries.findIndex((entry) => entry.includes('1632'))
    await expect.poll(() => page.url(), soon).toContain(`row=${row}`)
    await page.keyboard.press('Escape')
    await expect.poll(() => hits.count(), soon).toBe(0)
    await search.fill('no such words')
    await page.getByText('0 entries').waitFor()
    expect(await page.evaluate('window.broken')).toBeUndefined()
  })
})
