/** Drawings as a browser shows them on a page of 830 pixels: well-formed, and legible in its own fonts. */
import { describe, expect, test } from 'vitest'
import { drawings } from '../../../scripts/drawings.ts'
import { toSvg } from 'troupe/diagram'
import { isLeftOut } from './support/chromium-place.ts'
import { theBrowser, useBrowser } from './support/chromium.ts'
import { overlaps, type Box } from '../../../src/drawing/layers/geometry.ts'
import { pageWidth } from '../../diagram/svg/drawn-texts.ts'
import { machineSubjects, teamSubjects } from '../../diagram/svg/subjects.ts'

interface Measured {
  readonly isWellFormed: boolean
  readonly width: number
  /** The texts in pixels of the page. */
  readonly texts: readonly (Box & { readonly text: string; readonly size: number })[]
}

describe.skipIf(isLeftOut)('all drawings', () => {
  useBrowser()

  test('are legible as Chromium renders them', async () => {
    const subjects = [
      ...(await machineSubjects()),
      ...(await teamSubjects()),
      ...(await drawings()).map(({ name, subject }) => ({ name, draw: () => toSvg(subject) })),
    ]
    const page = await theBrowser().newPage({ viewport: { width: pageWidth, height: 900 } })
    await page.setContent('<body style="margin:0"><div id="place"></div>')
    const unlike = []
    for (const { name, draw } of subjects) {
      const { isWellFormed, width, texts } = await page.evaluate((svg): Measured => {
        const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml')
        const place = document.querySelector('#place')
        const drawn = document.importNode(parsed.documentElement, true)
        place?.replaceChildren(drawn)
        const scale = drawn.getBoundingClientRect().width / Number(drawn.getAttribute('width'))
        return {
          isWellFormed: parsed.querySelector('parsererror') === null,
          width: drawn.getBoundingClientRect().width,
          texts: [...drawn.querySelectorAll('text')].map((text) => {
            const { x, y, width, height } = text.getBoundingClientRect()
            return {
              text: text.textContent,
              size: parseFloat(getComputedStyle(text).fontSize) * scale,
              x,
              y,
              width,
              height,
            }
          }),
        }
      }, draw())
      const over = texts.flatMap((one, at) =>
        texts
          .slice(at + 1)
          .filter((other) => overlaps(one, other))
          .map((other) => [one.text, other.text]),
      )
      const low = texts.filter(({ size }) => size < 12)
      const empty = texts.length === 0
      if (!isWellFormed || empty || width > pageWidth || over.length > 0 || low.length > 0)
        unlike.push({ name, isWellFormed, width, over, low })
    }
    await page.close()
    expect(unlike).toEqual([])
  })
})
