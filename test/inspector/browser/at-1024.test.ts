/** Charts and insets at 1024 × 768: their texts are large enough to read, and none is out of sight. */
import { describe, expect, test } from 'vitest'
import { stories } from '../../support/stories/runs.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { openOffice } from './support/office.ts'
import { OpenedPage } from './support/opened-page.ts'
import { pictured } from './support/pictured.ts'

/** The least height of a text, in pixels of the page. */
const legible = 9.5

interface Drawn {
  readonly smallest: number
  readonly texts: number
}

describe.skipIf(isLeftOut)('at 1024 × 768', () => {
  useBrowser()

  test.each(['failedToolDeepDown', 'wrongRoute', 'rejectedDelegation'] as const)(
    'the charts and insets of %s are legible',
    async (name) => {
      const { agent, task } = stories[name]()
      const shown = agent as Parameters<typeof openOffice>[0][number]
      await using office = openOffice([shown])
      const run = await office.troupe.start(shown, task)
      await run.result
      const viewport = { width: 1024, height: 768 }
      await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?row=3&tab=entry`, { viewport })
      const { page } = opened
      await page.locator('.chart svg text').first().waitFor()
      const { smallest, texts } = await page.evaluate<Drawn>(`(() => {
        const all = [...document.querySelectorAll('.chart svg text')].filter((text) => text.textContent.trim() !== '')
        const sizes = all.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)
        return { smallest: Math.min(...sizes), texts: all.length }
      })()`)
      await pictured(page, `1024-${name}`)
      expect(texts).toBeGreaterThan(5)
      expect(smallest).toBeGreaterThanOrEqual(legible)
      expect(await page.evaluate<boolean>('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true)
      for (const tab of ['thread', 'summary', 'compare']) {
        await opened.go(`/runs/${run.id}?row=3&tab=${tab}`)
        await opened.showsStatus('completed')
        await pictured(page, `1024-${name}-${tab}`)
        expect(await page.evaluate<boolean>('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true)
      }
    },
  )
})
