/** Text of a run is text in the page, whatever it is. */
import { createTool } from 'troupe'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

const script = '<script>window.harmed = true</script><img src=x onerror="window.harmed = true">'
const turned = '\u202Eevil \u05E9\u05DC\u05D5\u05DD'
const long = 'x'.repeat(1_000_000)

function hostile() {
  const fetchPage = createTool({
    id: 'fetchPage',
    description: 'Fetches a page.',
    inputSchema: z.object({ address: z.string() }),
    requireApproval: true,
    execute: () => ({ [script]: script, turned, long }),
  })
  return worker('reader', [calls({ name: 'fetchPage', args: { address: script } })], {
    tools: { fetchPage },
    otherwise: `${script} ${turned}`,
  }).agent
}

describe.skipIf(isLeftOut)('hostile text', () => {
  useBrowser()

  test('is shown as it is, in each view and panel', async () => {
    const agent = hostile()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, script)
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view)
    const { page } = opened
    await page.getByRole('row').filter({ hasText: run.id }).waitFor()
    await opened.press('i')
    await page.getByText(script).first().waitFor()
    await office.troupe.signal(run.id, { type: 'approve', toolCallId: (await askedIn(office, run.id)) ?? '' })
    await run.result
    const journal = await office.troupe.journal(run.id)
    const row = journal.findIndex((entry) => entry.type === 'effect.settled' && entry.kind === 'tool')
    for (const tab of ['entry', 'messages', 'events', 'context', 'why']) {
      await opened.go(`/runs/${run.id}?row=${row}&tab=${tab}`)
      await opened.showsStatus('completed')
      await expect.poll(() => page.getByText(/^Loading/).count(), soon).toBe(0)
      await expect.poll(() => page.getByText('<script>').count(), soon).toBeGreaterThan(0)
    }
    expect(await page.evaluate<boolean>("'harmed' in window")).toBe(false)
    expect(await page.locator('main script, main img').count()).toBe(0)
  })

  test('has no character that is not seen where somebody decides', async () => {
    const agent = worker(
      'payer',
      [calls({ name: 'pay', args: { [`to\u200B`]: 'ann\u202E//:ptth\u2066 ⟨U+202E⟩' } })],
      {
        tools: {
          pay: createTool({
            id: 'pay',
            description: 'Pays.',
            inputSchema: z.record(z.string(), z.string()),
            requireApproval: true,
            execute: (args) => args,
          }),
        },
        otherwise: 'Done.',
      },
    ).agent
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Pay \u202Enow.')
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view, '/inbox')
    const { page } = opened
    const raw = /[\u200B\u202E\u2066]/
    const seen = () => page.evaluate<string>('document.body.innerText')
    await page.getByRole('button', { name: 'Approve …' }).waitFor()
    expect(await page.locator('.question mark').allInnerTexts()).toEqual([
      '⟨U+200B⟩',
      '⟨U+202E⟩',
      '⟨U+2066⟩',
      '⟨U+27E8⟩',
    ])
    expect(await seen()).not.toMatch(raw)
    await page.getByRole('button', { name: 'Approve …' }).click()
    expect(await page.getByRole('dialog').locator('mark').count()).toBe(4)
    await page.getByRole('radio', { name: 'Approve with other arguments' }).check()
    const written = await page.getByRole('textbox', { name: 'Arguments' }).inputValue()
    expect(written).not.toMatch(raw)
    expect(JSON.parse(written)).toEqual({ 'to\u200B': 'ann\u202E//:ptth\u2066 ⟨U+202E⟩' })
    await page.getByRole('button', { name: 'Approve with these arguments' }).click()
    await run.result
    for (const tab of ['entry', 'messages', 'events', 'context']) {
      await opened.go(`/runs/${run.id}?row=2&tab=${tab}`)
      await opened.showsStatus('completed')
      await expect.poll(() => page.getByText(/^Loading/).count(), soon).toBe(0)
      expect(await seen()).not.toMatch(raw)
    }
  })

  test('is cut where it is long, and the rest is shown when it is asked for', async () => {
    const agent = hostile()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Fetch.')
    await run.whenIdle
    await office.troupe.signal(run.id, { type: 'approve', toolCallId: (await askedIn(office, run.id)) ?? '' })
    await run.result
    const journal = await office.troupe.journal(run.id)
    const row = journal.findIndex((entry) => entry.type === 'effect.settled' && entry.kind === 'tool')
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?row=${row}`)
    const { page } = opened
    const more = page.getByRole('button', { name: /^Show all/ })
    await more.waitFor()
    const textLength = () => page.evaluate<number>('document.body.innerText.length')
    expect(await textLength()).toBeLessThan(20_000)
    await more.click()
    await expect.poll(textLength, soon).toBeGreaterThan(90_000)
    const widths = await page.evaluate<readonly number[]>('[document.body.scrollWidth, innerWidth]')
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0)
  })
})

async function askedIn({ troupe }: ReturnType<typeof openOffice>, runId: string) {
  const { items } = await troupe.awaiting({ runId })
  return items[0]?.toolCallId
}
