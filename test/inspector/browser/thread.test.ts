/** The thread of a run, actors that have ended, and one column on a telephone. */
import { createTroupe, memoryStore } from 'troupe'
import { inspector } from 'troupe/inspector'
import { describe, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { stories } from '../../support/stories/runs.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'
import { pictured } from './support/pictured.ts'
import { violationsIn } from './support/violations.ts'

async function paid() {
  const agent = boss()
  const office = openOffice([agent])
  const run = await office.troupe.start(agent, 'Pay the bill.')
  await run.whenIdle
  const [question] = (await office.troupe.awaiting()).items
  await run.approve(question?.toolCallId ?? '')
  await run.result
  return { office, run }
}

/** A finger on a telephone. */
const telephone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

describe.skipIf(isLeftOut)('the thread', () => {
  useBrowser()

  test('has all that was said, nested, with the tools on offer, and is one selection with the tree', async () => {
    const { office, run } = await paid()
    await using _office = office
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=thread`)
    const { page } = opened
    const thread = page.getByRole('group', { name: 'Thread' })
    const clerk = thread.getByRole('region', { name: 'clerk' })
    await clerk.getByText('The clerk is done.').waitFor()
    await thread.getByText('The bill is settled.').first().waitFor()
    expect(await clerk.innerText()).toContain('Pay 7 euros.')
    await clerk.getByText('1 tool on offer').first().click()
    await clerk.getByText('pay', { exact: true }).first().waitFor()
    expect(await clerk.getByText('toolChoice').first().isVisible()).toBe(true)
    expect(await violationsIn(opened)).toEqual([])
    await pictured(page, 'thread')
    await clerk.getByRole('button', { name: 'entry 3' }).click()
    await opened.showsEntry(3, 9)
    await expect.poll(() => opened.place, soon).toContain('row=2')
    await expect.poll(() => opened.place, soon).toContain('path=boss/delegation')
    await page.locator('.turn[aria-current]', { hasText: 'entry 3' }).waitFor()
    await opened.press('ArrowRight')
    await page.locator('.turn[aria-current]', { hasText: 'entry 4' }).waitFor()
    await clerk.getByRole('button', { name: /^clerk/ }).click()
    await expect.poll(() => clerk.getByText('The clerk is done.').count(), soon).toBe(0)
    await opened.press('o')
    await page.locator('.summary').waitFor()
    await opened.press('t')
    await thread.waitFor()
  })

  test('is there without the agents too, and shows text as it is', async () => {
    const script = '<script>window.harmed = true</script>'
    const agent = lead('boss', [calls(to('clerk', `Say ${script} \u202Eback.`))], {
      agents: { clerk: worker('clerk', [], { otherwise: `${script} \u202Eturned` }).agent },
      otherwise: script,
    }).agent
    const store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.start(agent, `${script} \u202Etask`)
    await run.result
    const other = createTroupe({ agents: [worker('other', []).agent], store })
    for (const service of [troupe, other]) {
      await using view = inspector(service)
      await using opened = await OpenedPage.of(view, `/runs/${run.id}?tab=thread`)
      const thread = opened.page.getByRole('group', { name: 'Thread' })
      await thread.getByRole('region', { name: 'clerk' }).getByText(script).first().waitFor()
      expect(await thread.locator('mark.unseen-character').count()).toBeGreaterThan(0)
      expect(await opened.page.evaluate<boolean>("'harmed' in window")).toBe(false)
    }
    await troupe.close()
    await other.close()
  })

  test('an actor that has ended is shown as it ended, and one to come is said to come', async () => {
    const { office, run } = await paid()
    await using _office = office
    const path = 'boss/delegation:1.1/clerk'
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?path=${path}&tab=messages`)
    const { page } = opened
    await page.getByText(/^Gone \(done\): as it ended at entry/).waitFor()
    await page.getByRole('tabpanel').getByText('The clerk is done.').waitFor()
    await opened.press('4')
    await page.getByRole('tabpanel').getByText(/^Gone/).waitFor()
    await page.getByRole('tabpanel').getByText('completed').first().waitFor()
    await opened.press('Home')
    await page.getByRole('heading', { name: 'Not yet' }).waitFor()
    await page.getByText('starts at entry').waitFor()
    expect(await page.getByText(/^Gone/).count()).toBe(0)
  })
})

describe.skipIf(isLeftOut)('on a telephone', () => {
  useBrowser()

  test('a run is one column, with its questions first, by touch', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view, '/', telephone)
    const { page } = opened
    const fits = async (): Promise<boolean> =>
      page.evaluate<boolean>('document.scrollingElement.scrollWidth <= innerWidth')
    await page.getByRole('row').filter({ hasText: run.id }).waitFor()
    expect(await fits()).toBe(true)
    await pictured(page, 'telephone-runs')
    await page.getByRole('link', { name: 'Inbox' }).tap()
    await page.getByRole('button', { name: 'Approve …' }).waitFor()
    expect(await fits()).toBe(true)
    await pictured(page, 'telephone-inbox')
    await opened.go(`/runs/${run.id}`)
    await page.locator('.summary').waitFor()
    const tops = () =>
      page.evaluate<readonly number[]>(
        "['.run-questions', '.summary'].map((one) => document.querySelector(one).getBoundingClientRect().top)",
      )
    const [questions = 0, summary = 0] = await tops()
    expect(questions).toBeLessThan(summary)
    expect(await fits()).toBe(true)
    expect(await violationsIn(opened)).toEqual([])
    await pictured(page, 'telephone-summary')
    await page.getByRole('button', { name: 'Approve …' }).tap()
    await pictured(page, 'telephone-answer')
    await page.getByRole('button', { name: 'Approve', exact: true }).tap()
    await opened.showsStatus('completed')
    await page.getByRole('link', { name: 'Thread' }).tap()
    await page.getByRole('group', { name: 'Thread' }).getByText('The bill is settled.').first().waitFor()
    expect(await fits()).toBe(true)
    expect(await violationsIn(opened)).toEqual([])
    await pictured(page, 'telephone-thread')
    await page.getByRole('button', { name: 'entry 3' }).tap()
    await opened.showsEntry(3, 9)
    await page.getByRole('link', { name: 'Tree' }).tap()
    await page.getByRole('treegrid').getByRole('row').nth(3).tap()
    await page.getByRole('tab', { name: 'Messages' }).tap()
    await page.getByRole('tabpanel').getByText('Pay 7 euros.').first().waitFor()
    expect(await fits()).toBe(true)
    expect(await violationsIn(opened)).toEqual([])
    await pictured(page, 'telephone-tree')
  })

  test.each(Object.keys(stories))('the summary of %s fits', async (name) => {
    const { agent, task } = stories[name as keyof typeof stories]()
    await using office = openOffice([agent as ReturnType<typeof boss>])
    const run = await office.troupe.start(agent as ReturnType<typeof boss>, task)
    await run.result
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}`, telephone)
    const { page } = opened
    await page.locator('.summary').waitFor()
    expect(await page.evaluate<boolean>('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true)
    await pictured(page, `telephone-${name}`)
  })
})
