/** BEHAVIOUR 74: the chart, the tree and the timeline of a run, by pointer and by keys. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

/** A run that waits for a payment, and its page. */
async function waiting() {
  const agent = boss()
  const office = openOffice([agent])
  const run = await office.troupe.start(agent, 'Pay the bill.')
  await run.whenIdle
  const entries = (await office.troupe.journal(run.id)).length
  const opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
  await opened.showsEntry(entries, entries)
  return {
    opened,
    page: opened.page,
    entries,
    chosen: () => new URL(opened.page.url()).searchParams.get('path') ?? 'boss',
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await office[Symbol.asyncDispose]()
    },
  }
}

/** The places of the states of the whole chart, by their names, and the place of the chart itself. */
async function placesIn(page: Page): Promise<Readonly<Record<string, unknown>>> {
  const chart = page.getByRole('group', { name: 'States of supervisor' })
  const nodes = await chart.getByRole('button').all()
  const places = nodes.map(async (node) => {
    const name = (await node.getAttribute('aria-label'))?.split(',')[0] ?? ''
    const box = node.locator('rect').last()
    return [name, `${await box.getAttribute('x')} ${await box.getAttribute('y')}`] as const
  })
  const whole = await chart.locator('svg').boundingBox()
  return { whole, ...Object.fromEntries(await Promise.all(places)) }
}

describe.skipIf(isLeftOut)('of a run', () => {
  useBrowser()

  test('the chart shows the states of the actor, and stands still while the run is gone through', async () => {
    await using run = await waiting()
    const { page, opened, entries } = run
    await page.getByRole('button', { name: 'acting, active now' }).waitFor()
    await page.getByRole('button', { name: 'thinking, visited' }).waitFor()
    await page.getByRole('button', { name: 'reviewing, never entered' }).waitFor()
    const places = await placesIn(page)
    expect(Object.keys(places).length).toBeGreaterThan(10)
    await opened.press('Home')
    await page.getByRole('button', { name: 'thinking, active now' }).waitFor()
    await page.getByRole('region', { name: 'Inside thinking' }).waitFor()
    expect(await placesIn(page)).toEqual(places)
    await opened.press('End')
    await opened.showsEntry(entries, entries)
    expect(await placesIn(page)).toEqual(places)
  })

  test('the chart opens a state that is chosen, and follows the actor again', async () => {
    await using run = await waiting()
    const { page } = run
    await page.getByRole('button', { name: 'reviewing, never entered' }).click()
    const inside = page.getByRole('region', { name: 'Inside reviewing' })
    await inside.getByText('A user hook reviews the iteration').waitFor()
    await inside.getByRole('button', { name: 'askingReviewer, never entered' }).click()
    await page.getByText('runs hook:onIterationComplete').waitFor()
    await page.getByRole('button', { name: 'reviewing', exact: true }).click()
    await inside.getByRole('button', { name: 'Follow the actor' }).click()
    await page.getByRole('region', { name: 'Inside acting' }).waitFor()
    await page.getByRole('button', { name: 'deciding, never entered' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Inside deciding' }).waitFor()
    expect(run.chosen()).toBe('boss')
  })

  test('the tree is gone through by keys, and hides what is below an actor', async () => {
    await using run = await waiting()
    const { page, opened } = run
    const items = page.locator('.tree-item')
    await expect.poll(() => items.count(), soon).toBe(4)
    await page.getByRole('treegrid').focus()
    await opened.press('ArrowDown')
    await expect.poll(run.chosen, soon).toBe('boss/delegation:1.1')
    await opened.press('ArrowDown', 'ArrowUp', ' ')
    await expect.poll(() => items.count(), soon).toBe(2)
    await expect.poll(() => items.last().getAttribute('aria-expanded'), soon).toBe('false')
    await opened.press(' ')
    await expect.poll(() => items.count(), soon).toBe(4)
    await items.last().getByText('asks').waitFor()
    await items.first().click()
    await expect.poll(run.chosen, soon).toBe('boss')
  })

  test('an actor that has not started is said to be so', async () => {
    await using run = await waiting()
    const { page, opened } = run
    await page.getByRole('treegrid').getByRole('row').last().click()
    await opened.press('Home')
    await page.getByText('not started').first().waitFor()
    for (const key of ['2', '4']) {
      await opened.press(key)
      await page.getByRole('heading', { name: 'Not yet' }).waitFor()
    }
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  test('the timeline moves through the run by pointer and by keys', async () => {
    await using run = await waiting()
    const { page, opened, entries } = run
    const slider = page.getByRole('region', { name: 'Timeline' }).getByRole('slider', { name: 'Entry' })
    await page.getByRole('button', { name: 'Entries', exact: true }).click()
    const box = await slider.boundingBox()
    await slider.click({ position: { x: 1, y: 5 } })
    await opened.showsEntry(1, entries)
    await slider.click({ position: { x: (box?.width ?? 0) - 1, y: 5 } })
    await opened.showsEntry(entries, entries)
    await opened.press('PageDown')
    await opened.showsEntry(Math.max(1, entries - 10), entries)
    await opened.press('ArrowUp', 'ArrowUp')
    await opened.showsEntry(Math.max(1, entries - 10) + 2, entries)
    await expect
      .poll(() => slider.getAttribute('aria-valuenow'), soon)
      .toBe(String(Math.max(1, entries - 10) + 2))
    const marks = () => page.locator('.tick').allTextContents()
    const whole = await marks()
    await opened.press('+', '+', '+')
    await expect.poll(marks, soon).not.toEqual(whole)
    await opened.press('0')
    await expect.poll(marks, soon).toEqual(whole)
  })

  test('a bar of the timeline leads to its entry and its actor', async () => {
    await using run = await waiting()
    const { page, opened, entries } = run
    await page.getByRole('button', { name: 'Entries', exact: true }).click()
    const lane = page.locator('.lane-bars')
    const names = page.locator('.lane-names > li')
    await expect.poll(() => names.allTextContents(), soon).toEqual(['boss', 'clerk'])
    await lane.hover({ position: { x: 4, y: 7 } })
    await page.getByText('model of boss').waitFor()
    await lane.click({ position: { x: 4, y: 7 } })
    await opened.showsEntry(2, entries)
    await expect.poll(run.chosen, soon).toBe('boss')
  })
})
