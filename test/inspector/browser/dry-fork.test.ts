/** A dry fork in the page: it says what would be paid and done, asks, and leaves nothing behind. */
import { describe, expect, test } from 'vitest'
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

describe.skipIf(isLeftOut)('a dry fork', () => {
  useBrowser()

  test('is scripted by a person, effect by effect, and compared with its origin', async () => {
    const { office, run } = await paid()
    await using _office = office
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?row=1&tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Fork here …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: /^All that the run may/ }).check()
    expect(await dialog.innerText()).toContain('3 model calls')
    expect(await dialog.innerText()).toContain('tools: pay')
    await dialog.getByRole('radio', { name: /^Nothing: a dry fork/ }).check()
    await dialog.getByText('The journal takes this fork.').waitFor()
    expect(await violationsIn(opened)).toEqual([])
    await pictured(page, 'dry-dialog')
    await dialog.getByRole('button', { name: 'Begin the dry fork' }).click()

    const held = page.getByRole('region', { name: 'Held effects' })
    await held.getByText('1 effect held for you').waitFor()
    await page.locator('.run-title .badge').getByText('dry fork').waitFor()
    expect(await held.innerText()).toContain('clerk')
    expect(await held.innerText()).toContain('asks the model')
    expect(await violationsIn(opened)).toEqual([])
    await pictured(page, 'dry-held')
    // A reply that calls a tool, as JSON; what is none is refused.
    await held.getByRole('radio', { name: 'A reply as JSON' }).check()
    const send = held.getByRole('button', { name: 'Go on with this' })
    await held.getByRole('textbox').fill('[7]')
    await send.click()
    await held.getByRole('alert').filter({ hasText: 'no reply of a model' }).waitFor()
    await held.getByRole('textbox').fill('{ "toolCalls": [{ "name": "pay", "args": { "euros": 9 } }] }')
    await send.click()
    // The approval is asked as ever.
    await page.getByRole('button', { name: 'Approve …' }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await held.getByText('calls the tool').waitFor()
    await held.getByRole('textbox').fill('{ "paid": 0 }')
    await send.click()
    for (const text of ['Nothing was left to pay.', 'All is well.']) {
      await held.getByText('asks the model').waitFor()
      await held.getByRole('textbox', { name: 'The reply of' }).fill(text)
      await held.getByRole('textbox', { name: 'The reply of' }).press('Control+Enter')
      await page.getByRole('group', { name: 'Thread' }).getByText(text).first().waitFor()
    }
    await opened.showsStatus('completed')
    const thread = page.getByRole('group', { name: 'Thread' })
    await expect.poll(() => thread.getByText('scripted', { exact: true }).count(), soon).toBe(4)
    await pictured(page, 'dry-ended')

    // Nothing of it is in the store, or in a list.
    expect((await office.troupe.runs()).items.map(({ runId }) => runId)).toEqual([run.id])
    await page.getByRole('link', { name: 'fork', exact: true }).click()
    await page.getByText('The first difference is entry').waitFor()
    const other = page.getByRole('region', { name: 'Summary: The other run' })
    expect(await other.innerText()).toContain('The bill is settled.')
    expect(await page.getByRole('region', { name: 'Summary: This run' }).innerText()).toContain(
      'All is well.',
    )
    expect(await violationsIn(opened)).toEqual([])
    await pictured(page, 'compared')
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByRole('row').filter({ hasText: run.id }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })

  test('of a run of another process acts nowhere: an acting fork is not offered', async () => {
    const { office, run } = await paid()
    await using _office = office
    const { inspector } = await import('troupe/inspector')
    const { storedRuns } = await import('troupe/kit')
    const service = storedRuns({ store: office.store, agents: [boss()] })
    const inspection = { engine: 'embedded' as const, unavailable: { fork: 'It runs elsewhere.' } }
    const view = inspector({ ...service, inspection, dryHost: { agents: [boss()], store: office.store } })
    await using opened = await OpenedPage.of(view, `/runs/${run.id}?row=1&tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Fork here …' }).click()
    expect(await page.getByRole('radio', { name: /^All that the run may/ }).isDisabled()).toBe(true)
    await page.getByText('The journal takes this fork.').waitFor()
    await page.getByRole('button', { name: 'Begin the dry fork' }).click()
    await page.getByText('1 effect held for you').waitFor()
    await view.stop()
  })
})
