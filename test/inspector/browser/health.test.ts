/** The view "Health": the numbers of the runs, live, and what is wrong. */
import { describe, expect, test } from 'vitest'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'
import { violationsIn } from './support/violations.ts'

describe.skipIf(isLeftOut)('health', () => {
  useBrowser()

  test('shows the numbers as they change, and is accessible and whole at 1440 and 390 pixels', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    await using opened = await OpenedPage.of(office.view, '/health', {
      viewport: { width: 1440, height: 900 },
    })
    const { page } = opened
    const open = page
      .locator('section section', { hasText: 'Open questions' })
      .getByRole('definition')
      .first()
    await page.getByText('Nothing is wrong.').waitFor()
    expect(await open.textContent()).toBe('0')
    await (
      await office.troupe.start(agent, 'Pay the bill.')
    ).whenIdle
    await expect.poll(() => open.textContent(), { ...soon, timeout: 10_000 }).toBe('1')
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await violationsIn(opened)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    }
    await office.troupe.drain()
    await page.getByText('TROUPE_DRAINING').waitFor()
  })
})
