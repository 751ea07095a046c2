/** Each key of the page does what the page says of it. */
import { describe, expect, test } from 'vitest'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, greeter, openOffice, type Office } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

/** A run that waits for a payment; its root agent, a delegation, a clerk and a call are under way. */
async function waitingRun(office: Office, agent: ReturnType<typeof boss>) {
  const run = await office.troupe.start(agent, 'Pay the bill.')
  await run.whenIdle
  const entries = (await office.troupe.journal(run.id)).length
  return { run, entries }
}

async function rowOf(opened: OpenedPage): Promise<string | null> {
  return new URL(opened.page.url()).searchParams.get('row')
}

describe.skipIf(isLeftOut)('the keys', () => {
  useBrowser()

  test('of a run lead through its entries', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const { run, entries } = await waitingRun(office, agent)
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    await opened.showsEntry(entries, entries)
    await opened.press('ArrowLeft')
    await opened.showsEntry(entries - 1, entries)
    await expect.poll(() => rowOf(opened), soon).toBe(String(entries - 2))
    await opened.press('Home')
    await opened.showsEntry(1, entries)
    await opened.press('ArrowRight')
    await opened.showsEntry(2, entries)
    await opened.press('Shift+ArrowRight')
    await opened.showsEntry(Math.min(12, entries), entries)
    await opened.press('Shift+ArrowLeft')
    await opened.showsEntry(Math.max(1, Math.min(12, entries) - 10), entries)
    await opened.press('End')
    await opened.showsEntry(entries, entries)
    await expect.poll(() => rowOf(opened), soon).toBeNull()
    await opened.press('p')
    await expect.poll(() => rowOf(opened), soon).not.toBeNull()
    const before = await rowOf(opened)
    await opened.press('p', 'n')
    await expect.poll(() => rowOf(opened), soon).toBe(before)
    await opened.press('Home', 'w')
    await expect.poll(() => opened.place, soon).toContain('call%3A1.1')
    await opened.press('e')
    await opened.page.getByText('No later error.').waitFor({ state: 'attached' })
    await opened.press('E')
    await opened.page.getByText('No earlier error.').waitFor({ state: 'attached' })
  })

  test('of a run lead through its actors and panels', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const { run, entries } = await waitingRun(office, agent)
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await opened.showsEntry(entries, entries)
    const chosen = () => new URL(page.url()).searchParams.get('path')
    await opened.press('Enter')
    await expect.poll(chosen, soon).toBe('boss/delegation:1.1')
    await opened.press('j')
    await expect.poll(chosen, soon).toBe('boss/delegation:1.1/clerk')
    await opened.press('k')
    await expect.poll(chosen, soon).toBe('boss/delegation:1.1')
    await opened.press('Backspace')
    await expect.poll(chosen, soon).toBeNull()
    const panels = ['Entry', 'Messages', 'Events', 'Context', 'Why', 'Compare']
    for (const [index, name] of panels.entries()) {
      await opened.press(String(index + 1))
      await page.getByRole('tab', { name, selected: true }).waitFor()
    }
  })

  test('of a run open its actions, and Escape closes them', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const { run, entries } = await waitingRun(office, agent)
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await opened.showsEntry(entries, entries)
    await page.getByRole('button', { name: 'Approve …', disabled: false }).waitFor()
    await page.getByRole('button', { name: 'Approve …' }).focus()
    const titles = {
      a: 'May pay run?',
      d: 'May pay run?',
      f: `Fork after entry ${entries}`,
      s: 'Say something',
      x: 'Cancel the run?',
      '?': 'Keys',
    }
    for (const [key, title] of Object.entries(titles)) {
      await opened.press(key)
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.waitFor()
      await opened.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.locator('button:focus', { hasText: 'Approve …' }).waitFor()
    }
    await opened.press('/')
    await page.keyboard.type('payment?')
    await opened.press('Enter')
    await page.getByText('No entry has these words.').waitFor({ state: 'attached' })
    await opened.press('Escape', 'u')
    await expect.poll(() => opened.place, soon).toBe('/')
  })

  test('of the lists choose and open', async () => {
    const [agent, other] = [boss(), greeter()]
    await using office = openOffice([agent, other])
    const { run } = await waitingRun(office, agent)
    await (
      await office.troupe.start(other, 'Greet.')
    ).result
    await using opened = await OpenedPage.of(office.view)
    const { page } = opened
    await page.getByRole('row').filter({ hasText: run.id }).waitFor()
    await opened.press('j', 'j', 'k', 'j', 'Enter')
    await expect.poll(() => opened.place, soon).toBe(`/runs/${run.id}`)
    await opened.press('i')
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await page.getByRole('button', { name: 'Approve …', disabled: false }).waitFor()
    await opened.press('j', 'd')
    const dialog = page.getByRole('dialog', { name: 'May pay run?' })
    await dialog.waitFor()
    await opened.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await opened.press('k', 'a')
    await dialog.waitFor()
    await opened.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await opened.press('Enter')
    await expect.poll(() => opened.place, soon).toContain(`/runs/${run.id}`)
    await opened.press('r')
    await expect.poll(() => opened.place, soon).toBe('/')
  })

  test('are those that the help lists', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const { run, entries } = await waitingRun(office, agent)
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    await opened.showsEntry(entries, entries)
    await opened.press('?')
    const dialog = opened.page.getByRole('dialog', { name: 'Keys' })
    await dialog.waitFor()
    const listed = async () => (await dialog.locator('kbd').allTextContents()).join(' ')
    const view =
      '? / r i h ← → Shift ← Shift → Home End n p e E w j k Enter Backspace o t 1 2 3 4 5 6 a d f s x u'
    const tree = '↓ ↑ Space'
    const chart = 'Tab Enter Space'
    const axis = '↑ ↓ PageUp PageDown + - 0'
    const list = '↑ ↓ PageUp PageDown Home End Enter'
    expect(await listed()).toBe(`${view} ${tree} ${chart} ${axis} ← → ${list} Escape`)
    await opened.press('Escape', 'u')
    await opened.page.getByRole('grid', { name: 'Runs' }).waitFor()
    await opened.press('?')
    await dialog.waitFor()
    expect(await listed()).toBe(`? / r i h j k Enter ${list} Escape`)
    await opened.press('Escape')
    await opened.page.getByRole('grid', { name: 'Runs' }).focus()
    await opened.press('End', 'Enter')
    await opened.page.locator('.summary').waitFor()
    await opened.press('1')
    await opened.showsEntry(entries, entries)
    await opened.page.getByRole('tab', { name: 'Entry' }).focus()
    await opened.press('ArrowRight')
    await opened.page.getByRole('tab', { name: 'Messages', selected: true }).waitFor()
    await opened.press('ArrowLeft', 'ArrowLeft')
    await opened.page.getByRole('tab', { name: 'Compare', selected: true }).waitFor()
    await opened.showsEntry(entries, entries)
  })

  test('do nothing while a text is written', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const { run, entries } = await waitingRun(office, agent)
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    await opened.showsEntry(entries, entries)
    await opened.press('/')
    await opened.page.keyboard.type('faxsu?')
    expect(await opened.page.getByRole('dialog').count()).toBe(0)
    expect(await opened.page.getByRole('combobox').inputValue()).toBe('faxsu?')
    expect(opened.place).toBe(`/runs/${run.id}?tab=entry`)
  })
})
