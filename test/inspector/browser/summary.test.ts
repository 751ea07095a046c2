/**
 * The page of a run answers what people ask of it: who spent the money, why did it stop, what did the hook change, why was it
 * rejected, what if the tool had failed. Each answer is at most two clicks from the list of runs, and comes from the store alone.
 */
import { createAgent, createTroupe, memoryStore, type Store } from 'troupe'
import { inspector, type Inspector } from 'troupe/inspector'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asked } from '../../support/stories/questions.ts'
import { stories, tellAll } from '../../support/stories/runs.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'
import { violationsIn } from './support/violations.ts'

const offline = createAgent({ id: 'other', model: scriptedModel([]) })

/** An inspector of a process that has none of the agents. */
function inspected(store: Store): Inspector & { close(): Promise<void> } {
  const troupe = createTroupe({ agents: [offline], store })
  const view = inspector(troupe, { title: 'stories' })
  return {
    ...view,
    url: view.url,
    stop: () => view.stop(),
    async close() {
      await view.stop()
      await troupe.close()
    },
    [Symbol.asyncDispose]: () => view.stop(),
  }
}

/** Counts the clicks on a page, from now on. */
async function clicksOf(page: OpenedPage['page']): Promise<() => Promise<unknown>> {
  await page.evaluate(`window.clicks = 0; addEventListener('click', () => window.clicks++, true)`)
  return () => page.evaluate('window.clicks')
}

async function textOf({ page }: OpenedPage, part: string): Promise<string> {
  return (await page.locator(part).innerText()).replaceAll(/\s+/g, ' ')
}

describe.skipIf(isLeftOut)('the summary of a run', () => {
  useBrowser()
  const store = memoryStore({ endedRuns: 100 })
  let view: ReturnType<typeof inspected>
  beforeAll(async () => {
    await tellAll(store)
    view = inspected(store)
  })
  afterAll(() => view.close())

  test.each(asked)('$question: at most two clicks in $run', async ({ run, summary, link }) => {
    await using opened = await OpenedPage.of(view)
    const { page } = opened
    const clicks = await clicksOf(page)
    // A stranger knows the list of runs: a row of it is one click.
    await page.getByRole('row').filter({ hasText: stories[run]().task }).getByRole('link').click()
    await page.locator('.summary').waitFor()
    for (const expected of summary) expect(await textOf(opened, '.summary')).toContain(expected)
    if (link !== undefined) {
      await page.locator('.summary').getByRole('link', { name: link.name, exact: true }).first().click()
      for (const expected of link.words)
        await expect.poll(() => textOf(opened, '.panel'), soon).toContain(expected)
    }
    expect(await clicks()).toBeLessThanOrEqual(2)
  })

  test('what if the tool had answered otherwise: two clicks to a fork with another outcome', async () => {
    const { agent, task } = stories.failedToolDeepDown()
    await using office = openOffice([agent as Parameters<typeof openOffice>[0][number]])
    const run = await office.troupe.start(agent, task)
    await run.result
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}`)
    const { page } = opened
    await page.getByRole('link', { name: 'entry 6', exact: true }).first().click()
    await page.getByRole('button', { name: 'Replace the outcome …' }).click()
    await expect.poll(() => textOf(opened, 'dialog[open]'), soon).toContain('Fork after entry 6')
    expect(await textOf(opened, 'dialog[open]')).toContain(
      'a dry fork asks you for the outcome of each model call',
    )
  })

  test('the runs that have failed in the last hour are one click away, chosen on the server', async () => {
    const broken = createAgent({
      id: 'broken',
      model: scriptedModel([{ error: new Error('out of order') }, 'Fine.']),
      retries: 0,
    })
    const troupe = createTroupe({ agents: [broken], onError: () => undefined })
    await using live = inspector(troupe)
    const failed = await troupe.start(broken, 'Fail.')
    await failed.result
    const good = await troupe.start(broken, 'Do well.')
    await good.result
    await using opened = await OpenedPage.of(live)
    const { page } = opened
    await page.getByRole('link', { name: good.id }).waitFor()
    await page.getByRole('button', { name: 'Failed in the last hour' }).click()
    await expect.poll(() => page.getByRole('link', { name: good.id }).count(), soon).toBe(0)
    await page.getByRole('link', { name: failed.id }).waitFor()
    await page.getByRole('button', { name: 'Failed in the last hour' }).click()
    await page.getByRole('link', { name: good.id }).waitFor()
    await troupe.close()
  })

  test.each([
    [1440, 900],
    [390, 844],
  ])('is whole and without violations at %i pixels, in light and dark', async (width, height) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await OpenedPage.of(view, '/runs/outOfBudget', {
        viewport: { width, height },
        colorScheme,
      })
      const { page } = opened
      await page.locator('.summary').waitFor()
      expect(await violationsIn(opened)).toEqual([])
      // Nothing stands out at the side; tables scroll in their own boxes.
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(
        await page.evaluate(
          `[...document.querySelectorAll('.summary > *, .run-title > *, .top > *')].filter((one) => one.getBoundingClientRect().right > ${width} + 1).map((one) => one.className)`,
        ),
      ).toEqual([])
      const shots = process.env['SHOTS']
      if (shots !== undefined) await page.screenshot({ path: `${shots}/summary-${width}-${colorScheme}.png` })
    }
  })

  test('a run that goes on says what it waits for, and its end appears', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = createAgent({
      id: 'slow',
      model: scriptedModel([{ text: 'Done at last.', until: gate.promise }]),
    })
    const troupe = createTroupe({ agents: [slow] })
    await using live = inspector(troupe)
    const run = await troupe.start(slow, 'Take your time.')
    await using opened = await OpenedPage.of(live, `/runs/${run.id}`)
    await expect.poll(() => textOf(opened, '.summary'), soon).toContain('it waits for the model of slow')
    gate.resolve()
    await expect.poll(() => textOf(opened, '.summary'), soon).toContain('Done at last.')
    expect(await textOf(opened, '.summary')).toContain('Completed.')
    await troupe.close()
  })

  test('hostile texts are marked, and sanitize has the last word', async () => {
    const hostile = createAgent({
      id: 'hostile',
      model: scriptedModel(['<img src=x onerror=alert(1)>\u202Eevil\u001B[2J']),
    })
    const troupe = createTroupe({ agents: [hostile] })
    const run = await troupe.start(hostile, '\u202Etask')
    await run.result
    await using open = inspector(troupe)
    await using opened = await OpenedPage.of(open, `/runs/${run.id}`)
    await expect
      .poll(() => textOf(opened, '.summary'), soon)
      .toContain('<img src=x onerror=alert(1)>⟨U+202E⟩evil⟨U+001B⟩[2J')
    await using closed = inspector(troupe, {
      sanitize: (part) =>
        part.type === 'summary'
          ? { ...part, content: { ...part.content, task: 'hidden', answer: 'hidden' } }
          : part,
    })
    await using other = await OpenedPage.of(closed, `/runs/${run.id}`)
    await expect.poll(() => textOf(other, '.summary'), soon).toContain('hidden')
    expect(await textOf(other, '.summary')).not.toContain('evil')
    await troupe.close()
  })
})
