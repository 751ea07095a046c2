/** The page where not all is well: no connection, another process, other agents, and images. */
import { memoryStore } from 'troupe'
import { inspector } from 'troupe/inspector'
import { describe, expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'
import { recordedStore } from '../../../src/inspector/recorded/recorded-store.ts'
import { inspectedStore } from '../../../src/inspector/stored/inspected-store.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { Line } from './support/line.ts'
import { boss, greeter, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

/** One red pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

describe.skipIf(isLeftOut)('a page', () => {
  useBrowser()

  test('says that it is not current, and recovers: a run', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    const { length } = await office.troupe.journal(run.id)
    await using line = new Line(office.view)
    await using opened = await OpenedPage.of(line, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    const outage = page.getByText('Not current:')
    await opened.showsEntry(length, length)
    await page.getByText('embedded · office').waitFor() // and with it the actions that are offered
    line.cut()
    await outage.waitFor()
    await opened.press('ArrowLeft')
    await opened.showsEntry(length - 1, length)
    await opened.press('a')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('dialog').getByText('The inspector does not answer.').waitFor()
    await opened.press('Escape')
    const [question] = (await office.troupe.awaiting({ runId: run.id })).items
    await office.troupe.signal(run.id, { type: 'approve', toolCallId: question?.toolCallId ?? '' })
    await run.result
    await page.getByRole('button', { name: 'Try now' }).click()
    line.restore()
    await opened.showsStatus('completed')
    await opened.showsEntry(length - 1, (await office.troupe.journal(run.id)).length)
    await expect.poll(() => outage.count(), soon).toBe(0)
  })

  test('says that it is not current, and recovers: the list; and that another server was started', async () => {
    const agent = greeter()
    await using office = openOffice([agent])
    await using line = new Line(office.view)
    await using opened = await OpenedPage.of(line)
    const { page } = opened
    const run = await office.troupe.start(agent, 'Greet.')
    const row = page.getByRole('row').filter({ hasText: run.id })
    const outage = page.getByText('The inspector does not answer.')
    await row.waitFor()
    line.cut()
    await outage.first().waitFor()
    await row.waitFor()
    line.restore()
    await expect.poll(() => outage.count(), soon).toBe(0)
    await using other = openOffice([agent], office.store)
    line.cut()
    line.restore(other.view)
    await page.getByText('Open the address that it has printed last: this page then goes on').waitFor()
  })

  test('goes on with its run, where it was, when its server was started again', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    const { length } = await office.troupe.journal(run.id)
    await using line = new Line(office.view)
    await using opened = await OpenedPage.of(line, `/runs/${run.id}?row=2`)
    const { page } = opened
    await opened.showsEntry(3, length)
    await using again = inspector(office.troupe)
    line.cut()
    line.restore(again)
    await page.getByText('Not current: the inspector was started again.').waitFor()
    await opened.showsEntry(3, length)
    const other = await opened.context.newPage()
    const { origin } = new URL(page.url())
    await other.goto(origin + new URL(await again.url).hash)
    await other.getByRole('row').filter({ hasText: run.id }).waitFor()
    await expect.poll(() => page.getByText('Not current:').count(), soon).toBe(0)
    await opened.showsEntry(3, length)
    await run.cancel()
    await opened.showsStatus('cancelled')
  })

  test('tells a person whose question was answered elsewhere, and closes it', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Approve …' }).click()
    await page.getByRole('radio', { name: 'Deny' }).check()
    const [question] = (await office.troupe.awaiting({ runId: run.id })).items
    await run.approve(question?.toolCallId ?? '', { by: 'Ada' })
    await run.result
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'answered' }).waitFor()
    await opened.press('Escape')
    await opened.showsStatus('completed')
    await expect.poll(() => page.getByText('question for you').count(), soon).toBe(0)
  })

  test('keeps a run that is deleted while it is shown, and says of what is not there that it was deleted', async () => {
    const agent = greeter()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Greet.')
    await run.result
    const { length } = await office.troupe.journal(run.id)
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await opened.showsEntry(length, length)
    await office.troupe.delete(run.id)
    await opened.press('Home', 'Shift+ArrowRight', 'Home')
    await opened.showsEntry(1, length)
    await page.getByText('What it led to').waitFor()
    await opened.go(`/runs/none-${run.id}`)
    await page.getByRole('heading', { name: 'There is no such run' }).waitFor()
    await opened.press('r')
    await page.getByRole('heading', { name: 'There are no runs yet' }).waitFor()
    expect(opened.place).toBe('/')
  })

  test('follows a run of another process, and answers it', async () => {
    const store = memoryStore()
    const agent = boss()
    await using there = openOffice([agent], store)
    const run = await there.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    await using here = openOffice([agent], store)
    await using opened = await OpenedPage.of(here.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Approve …' }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await opened.showsStatus('completed')
    expect((await here.troupe.replay(run.id)).result).toMatchObject({ outcome: 'completed' })
  })

  test('shows a run whose agents are not here by its record, and names agents that have changed', async () => {
    const store = memoryStore()
    const agent = greeter()
    await using there = openOffice([agent], store)
    const run = await there.troupe.start(agent, 'Greet.')
    await run.result
    await using without = openOffice([worker('other', []).agent], store)
    await using opened = await OpenedPage.of(without.view, `/runs/${run.id}?tab=entry`)
    await opened.page.getByText('by its record').waitFor()
    await opened.page.getByText('Hello to you.').first().waitFor()
    await opened.page
      .getByRole('treegrid')
      .getByRole('row', { name: /greeter/ })
      .waitFor()
    await opened.page.locator('.chart svg text').first().waitFor()
    await opened.press('2')
    await opened.page.getByRole('tabpanel').getByText('Hello to you.').first().waitFor()
    const journal = await there.troupe.journal(run.id)
    const bare = journal.map((entry) => JSON.stringify({ ...entry, agents: undefined })).join('\n')
    const service = inspectedStore({ store: await recordedStore([bare]), agents: [], title: '' })
    await using view = inspector(service)
    await using alone = await OpenedPage.of(view, `/runs/${run.id}?tab=entry`)
    await alone.page.getByText('Without transitions and states:').waitFor()
    for (const key of ['2', '3', '4']) {
      await alone.press(key)
      await alone.page.getByRole('heading', { name: 'Not known here' }).waitFor()
      expect(await alone.page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
      await alone.press('1')
    }
    const changed = worker('greeter', [], { otherwise: 'Hello to you.', instructions: 'Be rude.' }).agent
    await using other = openOffice([changed], store)
    await using second = await OpenedPage.of(other.view, `/runs/${run.id}?tab=entry`)
    await second.page.getByText('The agents have changed since').waitFor()
    await second.page.getByRole('button', { name: 'Show it' }).click()
    expect(await second.page.getByText('What it led to').count()).toBe(1)
  })

  test('shows the images of messages', async () => {
    const agent = greeter()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', mediaType: 'image/png', name: 'pixel.png', data: pixel },
          { type: 'file', mediaType: 'image/svg+xml', name: 'drawn.svg', data: 'PHN2Zy8+' },
        ],
      },
    ])
    await run.result
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=messages`)
    const image = opened.page.getByRole('img', { name: 'pixel.png' })
    await image.waitFor()
    const width = () => opened.page.evaluate<number>("document.querySelector('figure img').naturalWidth")
    await expect.poll(width, soon).toBe(1)
    await opened.page.getByText('image/svg+xml is not shown.').waitFor()
  })
})
