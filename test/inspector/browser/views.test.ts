/** Each view in light and dark: no violation of the rules of axe, and nothing that moves for a reader who wants that. */
import { describe, expect, test } from 'vitest'
import { violationsIn } from './support/violations.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, greeter, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

/** The rules whose findings change with the colours and the width. */
const ofLook = ['color-contrast', 'scrollable-region-focusable']

/**
 * Elements that stand out of the window, or of the box of the part that they are in, where nothing can be scrolled to them; one
 * line each.
 */
const outside = `(() => {
  const names = []
  const { innerHeight, innerWidth } = window
  const parts = '.top, .run-title, .run-body > *, .run-time, .transport, .timeline, .timeline-head, .lanes, .axis, .window-list, .dialog[open], .dialog[open] h2, .dialog[open] .dialog-buttons, .panel, .tabs, .chart-head > *'
  for (const element of document.querySelectorAll(parts)) {
    const { top, left, right, bottom } = element.getBoundingClientRect()
    if (top < -1 || left < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)
      names.push(element.className + ' ' + [left, top, right, bottom].map(Math.round).join(' '))
  }
  for (const element of document.querySelectorAll('.chart-head > *, .timeline-head > *, .run-title > *'))
    if (element.scrollHeight > element.parentElement.clientHeight) names.push(element.className + ' is broken into lines')
  return names
})()`

const large = { width: 1440, height: 900 }
const small = { width: 1024, height: 640 }

describe.skipIf(isLeftOut)('each view', () => {
  useBrowser()

  test('is accessible and whole, in light and dark, at 1440 and 1024 pixels', async () => {
    const [agent, other] = [boss(), greeter()]
    await using office = openOffice([agent, other])
    const run = await office.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    const ended = await office.troupe.start(other, 'Greet.')
    await ended.result
    await using opened = await OpenedPage.of(office.view, '/', { viewport: large })
    const { page } = opened
    const found: string[] = []
    // One document throughout: the page is led from view to view by its keys and links.
    const look = async (view: string) => {
      for (const violation of await violationsIn(opened)) found.push(`${view}: ${violation}`)
      for (const name of await page.evaluate<string[]>(outside)) found.push(`${view}: outside: ${name}`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize(small)
      for (const violation of await violationsIn(opened, ofLook)) found.push(`${view}, dark: ${violation}`)
      for (const name of await page.evaluate<string[]>(outside))
        found.push(`${view}, small: outside: ${name}`)
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(large)
    }
    const dialog = page.getByRole('dialog')
    const show = async (id: string, status: string) => {
      await opened.press('r')
      await page.getByRole('link', { name: id }).click()
      await opened.showsStatus(status)
      await page.locator('.summary').waitFor()
      await look(`summary of a run that is ${status}`)
      await opened.press('1')
      await page.getByText('What it led to').waitFor()
    }
    await page.getByRole('row').filter({ hasText: run.id }).waitFor()
    await look('runs')
    await opened.press('i')
    await page.getByRole('button', { name: 'Approve …', disabled: false }).waitFor()
    await look('inbox')
    await opened.press('h')
    await page.getByRole('heading', { name: 'Open questions' }).waitFor()
    await look('health')
    await opened.press('i')
    await page.getByRole('button', { name: 'Approve …', disabled: false }).waitFor()
    await opened.press('a')
    await dialog.waitFor()
    await look('answer')
    await opened.press('Escape')
    await show(run.id, 'suspended')
    await page.getByRole('button', { name: 'Approve …', disabled: false }).waitFor()
    await look('a run that waits')
    for (const key of ['f', '?', 's']) {
      await opened.press(key)
      await dialog.waitFor()
      await look(`the dialog of ${key}`)
      await opened.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await show(ended.id, 'completed')
    for (const [at, tab] of ['messages', 'events', 'context', 'why', 'compare'].entries()) {
      await opened.press(String(at + 2))
      await expect.poll(() => page.getByText(/^(Loading|Comparing)/).count(), soon).toBe(0)
      await look(tab)
    }
    await opened.go('/runs/none')
    await page.getByRole('heading', { name: 'There is no such run' }).waitFor()
    await look('no such run')
    await opened.go('/nothing')
    await page.getByRole('heading', { name: 'There is no such view' }).waitFor()
    await look('no such view')
    expect(found).toEqual([])
  })

  test('follows the colours that the reader has chosen', async () => {
    await using office = openOffice([greeter()])
    const grounds: string[] = []
    await using opened = await OpenedPage.of(office.view)
    await opened.page.getByRole('heading', { name: 'There are no runs yet' }).waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await opened.page.emulateMedia({ colorScheme })
      grounds.push(await opened.page.evaluate<string>('getComputedStyle(document.body).backgroundColor'))
    }
    expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(14, 17, 22)'])
  })

  test('does not move where the reader wants no motion', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    await opened.page.getByText('What it led to').waitFor()
    await opened.press('ArrowLeft', 'Home', 'End')
    expect(await opened.page.evaluate<number>('document.getAnimations().length')).toBe(0)
  })

  test('asks for the token that is missing, and for the new one of a server that was started again', async () => {
    await using office = openOffice([greeter()])
    await using opened = await OpenedPage.of(office.view)
    const { page } = opened
    await page.getByRole('heading', { name: 'There are no runs yet' }).waitFor()
    await page.evaluate("sessionStorage.setItem('troupe.inspector.token', 'of-another-server')")
    await page.reload()
    await page.getByText('The inspector was started again.').waitFor()
    await page.evaluate('sessionStorage.clear()')
    await page.reload()
    await page.getByRole('heading', { name: 'This address has no token' }).waitFor()
    expect(await violationsIn(opened)).toEqual([])
  })
})
