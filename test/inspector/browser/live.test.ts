/** A run is followed while it is at work, to its end; the list of runs and the inbox follow too. */
import type { Trail, Troupe } from 'troupe'
import { inspector } from 'troupe/inspector'
import { describe, expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, counter, greeter, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

describe.skipIf(isLeftOut)('a page that is open', () => {
  useBrowser()

  test('shows a run from its first entry to its last', async () => {
    const proceed = Promise.withResolvers<void>()
    const slow = worker('slow', ['First words.'], {
      inputProcessors: [
        {
          id: 'wait',
          async processInput() {
            await proceed.promise
          },
        },
      ],
    }).agent
    await using office = openOffice([slow])
    const run = await office.troupe.start(slow, 'Speak.')
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByRole('heading', { name: 'slow' }).waitFor()
    await opened.showsStatus('running')
    await page.getByRole('button', { name: 'latest' }).waitFor()
    proceed.resolve()
    await opened.showsStatus('completed')
    const entries = (await office.troupe.journal(run.id)).length
    await opened.showsEntry(entries, entries)
    await page.getByRole('tab', { name: 'Messages' }).click()
    const message = page.getByRole('listitem').filter({ hasText: 'First words.' })
    await expect.poll(() => message.count(), soon).toBe(1)
  })

  test('shows the first entries of a long run while the others are on the way, and stays where a person looks', async () => {
    const agent = counter(80)
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Count.')
    await run.result
    const { length } = await office.troupe.journal(run.id)
    const proceed = Promise.withResolvers<void>()
    await using view = inspector(withSlowTrail(office.troupe, proceed.promise))
    await using opened = await OpenedPage.of(view, `/runs/${run.id}?tab=entry`)
    await using other = await OpenedPage.of(view, `/runs/${run.id}?row=220`)
    const coming = opened.page.getByText('more entries are on the way …')
    await opened.showsEntry(200, 200)
    await coming.waitFor()
    await opened.press('Home', 'ArrowRight')
    await opened.showsEntry(2, 200)
    await other.showsEntry(200, 200)
    proceed.resolve()
    await opened.showsEntry(2, length)
    await expect.poll(() => coming.count(), soon).toBe(0)
    await other.showsEntry(221, length)
    await opened.press('End')
    await opened.showsEntry(length, length)
  })

  test('shows new runs in the list, and what they wait for', async () => {
    const agent = boss()
    await using office = openOffice([agent, greeter()])
    await using opened = await OpenedPage.of(office.view)
    const { page } = opened
    await page.getByRole('heading', { name: 'There are no runs yet' }).waitFor()
    const run = await office.troupe.start(agent, 'Pay the bill.')
    const row = page.getByRole('row').filter({ hasText: run.id })
    await row.getByText('pay', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Inbox 1 open questions' }).waitFor()
    await run.cancel()
    await row.getByText('cancelled').waitFor()
    await expect.poll(() => row.getByText('pay', { exact: true }).count(), soon).toBe(0)
  })

  test('filters the list while the filter is written', async () => {
    const [one, two] = [boss(), greeter()]
    await using office = openOffice([one, two])
    await (
      await office.troupe.start(two, 'Greet.')
    ).result
    const waiting = await office.troupe.start(one, 'Pay.')
    await waiting.whenIdle
    await using opened = await OpenedPage.of(office.view)
    const { page } = opened
    const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row')
    await expect.poll(() => rows.count(), soon).toBe(3)
    await opened.press('/')
    await page.keyboard.type('status:suspended')
    await expect.poll(() => rows.count(), soon).toBe(2)
    await page.getByRole('searchbox').fill('greet')
    await expect.poll(() => rows.count(), soon).toBe(2)
    await rows.getByText('Greet.').waitFor()
    await expect.poll(() => page.url(), soon).toContain('?find=greet')
    await page.getByRole('searchbox').fill('nothing of it')
    await page.getByRole('heading', { name: 'No run fits the filter' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await expect.poll(() => rows.count(), soon).toBe(3)
  })

  test('sorts the list on the server, and keeps filter and order in the address', async () => {
    const [one, two] = [boss(), greeter()]
    await using office = openOffice([one, two])
    const first = await office.troupe.start(two, 'Greet Ann.')
    await first.result
    const waiting = await office.troupe.start(one, 'Pay.')
    await waiting.whenIdle
    await using opened = await OpenedPage.of(office.view, '/?find=outcome:completed&order=longest')
    const { page } = opened
    const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row')
    await expect.poll(() => rows.count(), soon).toBe(2)
    const orders = page.getByRole('combobox', { name: 'Order' })
    expect(await orders.inputValue()).toBe('longest')
    await page.getByRole('button', { name: 'Started' }).click()
    expect(await orders.inputValue()).toBe('newest')
    await page.getByRole('button', { name: 'Failed in the last hour' }).click()
    await page.getByRole('heading', { name: 'No run fits the filter' }).waitFor()
    await expect.poll(() => page.url(), soon).toContain('?find=outcome:failed+since:1h')
    await page.getByRole('searchbox').fill('')
    await expect.poll(() => rows.nth(1).textContent(), soon).toContain('Pay.')
    await page.getByRole('button', { name: 'Started' }).click()
    await expect.poll(() => rows.nth(1).textContent(), soon).toContain('Greet Ann.')
    await expect.poll(() => page.url(), soon).toContain('order=oldest')
    await page.reload()
    await expect.poll(() => rows.nth(1).textContent(), soon).toContain('Greet Ann.')
  })
})

/** The troupe, whose trails give more than their first slice only when `proceed` has resolved. */
function withSlowTrail(troupe: Troupe, proceed: Promise<void>): Troupe {
  return instead(troupe, {
    async trail(...asked: Parameters<Troupe['trail']>): Promise<Trail> {
      const trail = await troupe.trail(...asked)
      return instead(trail, {
        async more() {
          await proceed
          return trail.more()
        },
      })
    },
  })
}

/** The object with other methods in the place of some of its own. */
function instead<Of extends object>(object: Of, others: Partial<Of>): Of {
  return new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(name in others ? others : target, name, target)
      return typeof value === 'function' && !(name in others) ? value.bind(target) : value
    },
  })
}
