/**
 * The actors of a run as a table: a tool or a choice by its name, how each ended, how long it took and what it has spent. It is the
 * same without the agents of the run. What is under way counts on.
 */
import {
  createAgent,
  createRouter,
  createScorer,
  createSupervisor,
  createTroupe,
  memoryStore,
  type Store,
  type Troupe,
} from 'troupe'
import { inspector } from 'troupe/inspector'
import { scriptedModel, virtualClock } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { stories, tellAll } from '../../support/stories/runs.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { useBrowser } from './support/chromium.ts'
import { boss, openOffice } from './support/office.ts'
import { OpenedPage, soon } from './support/opened-page.ts'
import { pictured } from './support/pictured.ts'
import { violationsIn } from './support/violations.ts'

const offline = createAgent({ id: 'other', description: 'Does nothing.', model: scriptedModel([]) })

/** The rows of the tree, the cells of each joined. */
function rowsOf({ page }: OpenedPage): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `[...document.querySelectorAll('.tree-item')].map((row) => [...row.children].map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim()).join(' | '))`,
  )
}

/** The first row with an event of this type. */
async function rowOf(troupe: Troupe, runId: string, wanted: string): Promise<number> {
  const { entries } = await troupe.trail(runId)
  return entries.findIndex(({ events }) => events.some(({ type }) => type === wanted))
}

const wide = { viewport: { width: 1900, height: 900 } }

async function withoutAgents(store: Store, work: (view: ReturnType<typeof inspector>) => Promise<void>) {
  const troupe = createTroupe({ agents: [offline], store })
  await using view = inspector(troupe)
  await work(view)
  await troupe.close()
}

describe.skipIf(isLeftOut)('the tree', () => {
  useBrowser()

  test('has names, outcomes, tokens and costs without the agents', async () => {
    const store = memoryStore({ endedRuns: 100 })
    await tellAll(store)
    await withoutAgents(store, async (view) => {
      await using opened = await OpenedPage.of(view, '/runs/failedToolDeepDown?tab=entry', wide)
      await expect.poll(() => rowsOf(opened), soon).toHaveLength(6)
      expect(await rowsOf(opened)).toEqual([
        expect.stringMatching(/^▾ ◆ director \| ✓ completed \| 0 ms \| 6,600 \| 0\.027$/),
        expect.stringContaining(
          '▾ → delegation auditor Audit account A-17. | ✓ succeeded | 0 ms | 4,400 | 0.018',
        ),
        expect.stringContaining('auditor | ✓ completed'),
        expect.stringContaining('→ delegation clerk Read account A-17. | ✓ succeeded'),
        expect.stringContaining('clerk | ✓ completed | 0 ms | 2,200 | 0.009'),
        expect.stringContaining('ƒ call ledger {"account":"A-17"} | failed'),
      ])
      await opened.go('/runs/wrongRoute?tab=entry&row=2')
      const decision =
        '? decision writer of archivist, writer, none: The writer knows the town. | ✓ made | 0 ms | 1,100 | 0.0045'
      await expect.poll(async () => (await rowsOf(opened)).join('\n'), soon).toContain(decision)
      const panel = opened.page.getByRole('tabpanel')
      for (const words of ['candidates', 'archivist, writer, none', 'The writer knows the town.'])
        await panel.getByText(words, { exact: true }).first().waitFor()
      expect(await violationsIn(opened)).toEqual([])
      await pictured(opened.page, 'tree')
    })
  })

  test('has the scores of a scoring', async () => {
    const helper = createAgent({ id: 'helper', description: 'Helps.', model: scriptedModel(['Done.']) })
    const scored = createSupervisor({
      id: 'scored',
      model: scriptedModel(['A short answer.', 'A better one.']),
      maxSteps: 2,
      agents: { helper },
      completion: {
        scorers: [
          createScorer({ id: 'length', score: () => ({ score: 0.25, reason: 'too short' }) }),
          createScorer({ id: 'tone', score: () => 1 }),
        ],
      },
    })
    const store = memoryStore()
    const troupe = createTroupe({ agents: [scored], store })
    const run = await troupe.start(scored, 'Answer.')
    await run.result
    await using view = inspector(troupe)
    await using opened = await OpenedPage.of(view, `/runs/${run.id}?tab=entry`, wide)
    await expect
      .poll(async () => (await rowsOf(opened)).join('\n'), soon)
      .toContain('length 0.25 ✗, tone 1.00 ✓ | failed')
    const at = await rowOf(troupe, run.id, 'scoring-complete')
    await opened.go(`/runs/${run.id}?tab=entry&row=${at}`)
    await opened.page.getByRole('tabpanel').getByText('0.25, not passed: too short').waitFor()
    await troupe.close()
  })

  test('has columns, and a side, that are dragged by a pointer and moved by keys', async () => {
    const { agent, task } = stories.failedToolDeepDown()
    await using office = openOffice([agent as Parameters<typeof openOffice>[0][number]])
    const run = await office.troupe.start(agent, task)
    await run.result
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    const heads = page.getByRole('columnheader')
    await expect.poll(() => heads.allInnerTexts(), soon).toEqual(['Actors 6', 'Outcome', 'Time', 'Tokens'])
    const side = page.getByRole('separator', { name: 'Width of the actors' })
    const place = await side.boundingBox()
    const [x, y] = [(place?.x ?? 0) + 2, (place?.y ?? 0) + 200]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 150, y, { steps: 3 })
    await page.mouse.up()
    await expect.poll(() => heads.allInnerTexts(), soon).toContain('Cost')
    const outcome = page.getByRole('separator', { name: 'Width of Outcome' })
    const width = async () => Number(await outcome.getAttribute('aria-valuenow'))
    const before = await width()
    await outcome.focus()
    await opened.press('ArrowLeft', 'ArrowLeft')
    await expect.poll(width, soon).toBe(before + 32)
    expect(await violationsIn(opened)).toEqual([])
  })

  test('has hostile names and reasons as texts, with marks', async () => {
    const evil = '<img src=x onerror=alert(1)>\u202Egood\u001B[2J'
    const helper = createAgent({ id: 'helper', description: 'Helps.', model: scriptedModel(['Done.']) })
    const router = createRouter({
      id: 'router',
      memory: true,
      model: scriptedModel([
        JSON.stringify({
          primitiveId: 'helper',
          primitiveType: 'agent',
          prompt: evil,
          selectionReason: evil,
        }),
        JSON.stringify({ primitiveId: 'none', primitiveType: 'none', prompt: evil, selectionReason: evil }),
      ]),
      agents: { helper, other: offline },
    })
    const troupe = createTroupe({ agents: [router] })
    const run = await troupe.start(router, 'Route.')
    await run.result
    await using view = inspector(troupe)
    await using opened = await OpenedPage.of(
      view,
      `/runs/${run.id}?tab=entry&row=${await rowOf(troupe, run.id, 'routing-decision')}`,
      wide,
    )
    const marked = '<img src=x onerror=alert(1)>⟨U+202E⟩good⟨U+001B⟩[2J'
    await expect.poll(async () => (await rowsOf(opened)).join('\n'), soon).toContain(`none: ${marked}`)
    await opened.page.getByRole('tabpanel').getByText(marked).first().waitFor()
    expect(await opened.page.locator('.tree img, .panel img').count()).toBe(0)
    await troupe.close()
  })
})

describe.skipIf(isLeftOut)('what is under way', () => {
  useBrowser()

  test('has a bar that grows, in the timeline, the tree and the summary', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = createAgent({ id: 'slow', model: scriptedModel([{ text: 'Done.', until: gate.promise }]) })
    const troupe = createTroupe({ agents: [slow] })
    await using view = inspector(troupe)
    const run = await troupe.start(slow, 'Take your time.')
    await using opened = await OpenedPage.of(view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    const tail = page.locator('.tail')
    await tail.waitFor()
    const [before, bar] = [await tail.innerText(), page.locator('.time-bar.now')]
    expect(await bar.count()).toBe(1)
    await expect.poll(() => tail.innerText(), soon).not.toBe(before)
    await pictured(page, 'under-way')
    await page.getByRole('link', { name: 'Summary' }).click()
    await page
      .locator('.summary')
      .getByText(/slow: model since .*\(\d/)
      .waitFor()
    gate.resolve()
    await opened.showsStatus('completed')
    await page.getByRole('link', { name: 'Details' }).click()
    await expect.poll(() => tail.count(), soon).toBe(0)
    await troupe.close()
  })

  test('says since when people are waited for', async () => {
    const agent = boss()
    await using office = openOffice([agent])
    const run = await office.troupe.start(agent, 'Pay the bill.')
    await run.whenIdle
    await using opened = await OpenedPage.of(office.view, `/runs/${run.id}?tab=entry`)
    const { page } = opened
    await page.getByText(/1 question is open since \d\d:\d\d:\d\d \(/).waitFor()
    await page
      .locator('.question')
      .getByText(/since \d\d:\d\d:\d\d \(/)
      .waitFor()
    await page.locator('.cut-mark[title$="of waiting for people so far"]').waitFor()
    await page.getByRole('link', { name: 'Summary' }).click()
    await page
      .locator('.summary')
      .getByText(/open since \d\d:\d\d:\d\d \(/)
      .waitFor()
    expect(await page.locator('.summary').getByText('Waits for a person').count()).toBe(1)
    await run.cancel()
  })

  test('leaves out the time between a run and its fork', async () => {
    const agent = boss()
    const store = memoryStore({ endedRuns: 100 })
    const past = createTroupe({
      agents: [agent],
      store,
      clock: virtualClock({ start: Date.UTC(2026, 0, 1) }),
    })
    const run = await past.start(agent, 'Pay the bill.')
    await run.whenIdle
    await past.close()
    await using office = openOffice([agent], store)
    const fork = await office.troupe.fork(run.id, { at: 2 })
    await fork.whenIdle
    await using opened = await OpenedPage.of(office.view, `/runs/${fork.id}?tab=entry`)
    const { page } = opened
    await page.locator('.cut-mark[title$="between the shared entries and those of the fork"]').waitFor()
    const sums = page.locator('.run-sums')
    await expect.poll(() => sums.innerText(), soon).toMatch(/^[\d.]+ m?s/)
    await fork.cancel()
  })
})
