/** What a person does in the page reaches the run. */
import { describe, expect, test } from 'vitest'
import { calls, worker } from '../../support/agents/agents.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, greeter, openOffice, traveller } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'

async function asking() {
  const agent = boss()
  const office = openOffice([agent])
  const run = await office.troupe.start(agent, 'Pay the bill.')
  await run.whenIdle
  return { office, run }
}

describe.skipIf(isLeftOut)('in the page a person', () => {
  useBrowser()

  test('approves, and the run goes on to its end', async () => {
    const { office, run } = await asking()
    await using _office = office
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Approve …' }).click()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByText('pay: approved.').first().waitFor()
    await opened.showsStatus('completed')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'The bill is settled.' })
    await expect.poll(() => page.getByText('question for you').count(), soon).toBe(0)
  })

  test('answers with a name and a note, which are on record', async () => {
    const { office, run } = await asking()
    await using _office = office
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Approve …' }).click()
    await page.getByRole('textbox', { name: 'Your name, for the record' }).fill('Ann')
    await page.getByRole('textbox', { name: 'Note, for the record' }).fill('It is due.')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await opened.showsStatus('completed')
    const answer = (await office.troupe.journal(run.id)).find((entry) => entry.type === 'signal.received')
    expect(answer).toMatchObject({ signal: { type: 'answer', by: 'Ann', note: 'It is due.' } })
  })

  test('sees which question waits for the page of a client', async () => {
    const agent = worker('guide', [calls({ name: 'whereAmI', args: {} })]).agent
    const office = openOffice([agent])
    await using _office = office
    const clientTools = [
      { name: 'whereAmI', description: 'Tells where the user is.', parameters: { type: 'object' } },
    ]
    const run = await office.troupe.start(agent, 'Where am I?', { clientTools })
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view, '/inbox')
    const question = opened.page.locator('.question')
    await expect.poll(() => question.innerText(), soon).toContain('waits for the page that has this tool')
  })

  test('approves with other arguments, which are checked before', async () => {
    const { office, run } = await asking()
    await using _office = office
    await using opened = await OpenedPage.of(office.view, '/inbox')
    const { page } = opened
    await page.getByRole('button', { name: 'Approve …' }).click()
    await page.getByRole('radio', { name: 'Approve with other arguments' }).check()
    const field = page.getByRole('textbox', { name: 'Arguments' })
    const send = page.getByRole('button', { name: 'Approve with these arguments' })
    await field.fill('{ "euros": ')
    await page.getByText('This is no JSON').waitFor()
    expect(await send.isDisabled()).toBe(true)
    await field.fill('{ "euros": -1 }')
    await send.click()
    await page.getByRole('alert').filter({ hasText: 'euros' }).waitFor()
    await field.fill('{ "euros": 5 }')
    await send.click()
    await page.getByRole('heading', { name: 'Nothing waits for an answer' }).waitFor()
    await run.result
    expect(JSON.stringify(await office.troupe.journal(run.id))).toContain('{"paid":5}')
  })

  test('denies with a reason, which the model reads', async () => {
    const { office, run } = await asking()
    await using _office = office
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Deny …' }).click()
    await page.getByRole('textbox', { name: 'Reason, which the model reads' }).fill('Too dear.')
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await run.result
    expect(JSON.stringify(await office.troupe.journal(run.id))).toContain('Too dear.')
  })

  test('goes on with data', async () => {
    const agent = traveller()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Book a journey.')
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByRole('button', { name: 'Answer …' }).click()
    const data = page.getByRole('textbox', { name: 'Data' })
    const send = page.getByRole('button', { name: 'Go on' })
    await data.fill('{ "place": ')
    await page.getByText('This is no JSON').waitFor()
    expect(await send.isDisabled()).toBe(true)
    await data.fill('{ "place": "Lisbon", "nights": [1, 2] }')
    await send.click()
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    const journal = await office.troupe.journal(run.id)
    expect(JSON.stringify(journal)).toContain('{"place":"Lisbon","nights":[1,2]}')
  })

  test('says something, and cancels a delegation and the run', async () => {
    const { office, run } = await asking()
    await using _office = office
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?path=boss/delegation%3A1.1`)
    const { page } = opened
    await page.getByRole('button', { name: 'Say …' }).click()
    await page.getByRole('textbox').last().fill('Make haste, please.')
    await page.getByRole('button', { name: 'Say it' }).click()
    await page.getByText('The message is on record.').first().waitFor()
    await page.getByRole('button', { name: 'Cancel delegation …' }).click()
    await page.getByRole('dialog', { name: 'Cancel the delegation to clerk?' }).waitFor()
    await page.getByRole('button', { name: 'Cancel it' }).click()
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    const other = await asking()
    await using _other = other.office
    await using second = await OpenedPage.of(other.office.view, `/runs/${other.run.id}?tab=entry`)
    await second.page.getByRole('button', { name: 'Cancel …' }).click()
    await second.page.getByRole('button', { name: 'Cancel it' }).click()
    expect(await other.run.result).toMatchObject({ outcome: 'cancelled' })
    const last = await asking()
    await using _last = last.office
    await using third = await OpenedPage.of(last.office.view, `/runs/${last.run.id}?tab=entry`)
    await third.page.getByRole('button', { name: 'Cancel …' }).click()
    await third.page.getByRole('textbox').last().fill('It cannot go on.')
    await third.page.getByRole('checkbox', { name: /^By force/ }).check()
    await third.page.getByRole('button', { name: 'Cancel it' }).click()
    await third.page.getByText('The run was ended by force.').first().waitFor()
    const journal = await last.office.troupe.journal(last.run.id)
    expect(journal.at(-1)).toMatchObject({ type: 'run.settled', reason: 'It cannot go on.' })
  })

  test('forks with another outcome, and compares the fork with its origin', async () => {
    const agent = greeter('Hello to you.')
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Greet.')
    await run.result
    const journal = await office.troupe.journal(run.id)
    const row = journal.findIndex((entry) => entry.type === 'effect.settled' && entry.kind === 'model')
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?row=${row}`)
    const { page } = opened
    await page.getByRole('button', { name: 'Replace the outcome …' }).click()
    const field = page.getByRole('textbox', { name: 'Value' })
    await expect.poll(() => field.inputValue(), soon).toContain('Hello to you.')
    const recorded = await field.inputValue()
    await page.getByRole('radio', { name: /^All that the run may/ }).check()
    const send = page.getByRole('button', { name: 'Begin, pay and act' })
    await field.fill('{ "text": 7 }')
    await page
      .getByText(/fork: patch\.value/)
      .first()
      .waitFor()
    expect(await send.isDisabled()).toBe(true)
    await field.fill(recorded.replace('Hello to you.', 'Good evening.'))
    await page.getByText('The journal takes this fork.').waitFor()
    await send.click()
    await page.getByRole('link', { name: 'fork' }).click()
    await page.getByText('The first difference is entry').waitFor()
    await page.getByRole('button', { name: String(row + 1), exact: true }).click()
    const { items } = await office.troupe.runs()
    const fork = items.find(({ forkedFrom }) => forkedFrom === run.id)
    expect(opened.place).toContain(fork?.runId)
    expect((await office.troupe.replay(fork?.runId ?? '')).result).toMatchObject({ text: 'Good evening.' })
  })

  test('forks with the same outcome by a key', async () => {
    const agent = greeter()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Greet.')
    await run.result
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?row=0`)
    const { page } = opened
    await page.getByText('What it led to').waitFor()
    await opened.press('f')
    await page.getByRole('radio', { name: /^All that the run may/ }).check()
    await page.getByText('Behind this entry this run has paid and done as follows').waitFor()
    await page.getByText('The journal takes this fork.').waitFor()
    await page.getByRole('button', { name: 'Begin, pay and act' }).click()
    await opened.showsStatus('completed')
    expect((await office.troupe.runs()).items).toHaveLength(2)
  })

  test('reads why, saves the run, and deletes it', async () => {
    const agent = greeter()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Greet.')
    await run.result
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=why`)
    const { page } = opened
    await page.getByRole('heading', { name: 'Why the run gave its answer' }).waitFor()
    for (const [name, file] of [
      ['Recording, for a test', `${run.id}.json`],
      ['Chart of react as Mermaid', 'react.mmd'],
      ['Provenance as Turtle', `${run.id}.ttl`],
    ] as const) {
      await page.getByText('Save …').click()
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name }).click()
      expect((await saving).suggestedFilename()).toBe(file)
    }
    await page.getByText('Save …').click()
    await page.getByRole('button', { name: 'Delete the run …' }).click()
    await page.getByRole('button', { name: 'Delete it' }).click()
    await page.getByRole('heading', { name: 'There are no runs yet' }).waitFor()
    expect((await office.troupe.runs()).items).toEqual([])
  })
})
