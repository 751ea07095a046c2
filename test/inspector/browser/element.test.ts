/** `<troupe-run>` in a browser: it plays a story, and leaves the page around it as it is. */
import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { createTool, createTroupe, type AnyAgent } from 'troupe'
import { recordStory } from 'troupe/inspector'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { isLeftOut } from './support/chromium-place.ts'
import { theBrowser, useBrowser } from './support/chromium.ts'
import { boss } from './support/office.ts'
import { soon } from './support/opened-page.ts'
import { pictured } from './support/pictured.ts'
import { pageWith, StoryPages } from './support/story-pages.ts'

const script = '<script>window.harmed = true</script><img src=x onerror="window.harmed = true">'
const turned = '\u202Eevil \u05E9\u05DC\u05D5\u05DD'

async function storyOf(agent: AnyAgent, task: string): Promise<string> {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, task)
  for await (const event of run.events)
    if (event.type === 'tool-call-approval') await run.approve(event.payload.toolCallId, { by: 'ann' })
  const story = await recordStory(troupe, run.id)
  await troupe.close()
  return story
}

function hostile(): AnyAgent {
  const fetchPage = createTool({
    id: 'fetchPage',
    description: 'Fetches a page.',
    inputSchema: z.object({ address: z.string() }),
    execute: () => ({ [script]: script, turned, style: '</style></svg>' }),
  })
  return worker('reader', [calls({ name: 'fetchPage', args: { address: script } })], {
    tools: { fetchPage },
    otherwise: `${script} ${turned}`,
  }).agent
}

interface Opened extends AsyncDisposable {
  readonly page: Page
  /** Errors, violations of the policy, and requests to elsewhere. */
  readonly faults: readonly string[]
}

describe.skipIf(isLeftOut)('<troupe-run>', () => {
  useBrowser()

  const stories: Record<string, string> = {}

  beforeAll(async () => {
    stories['/run.story'] = await storyOf(boss(), 'Pay the bill.')
    stories['/hostile.story'] = await storyOf(hostile(), script)
  })

  async function opened(
    pages: StoryPages,
    path: string,
    options: {
      readonly width?: number
      readonly height?: number
      readonly colorScheme?: 'light' | 'dark'
    } = {},
  ): Promise<Opened> {
    const { width = 1440, height = 900, colorScheme = 'light' } = options
    const context = await theBrowser().newContext({
      viewport: { width, height },
      colorScheme,
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(soon.timeout)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(`an error: ${error.message}`))
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text())
    })
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== pages.origin) faults.push(`a request to ${request.url()}`)
    })
    await page.goto(`${pages.origin}${path}`)
    return { page, faults, [Symbol.asyncDispose]: () => context.close() }
  }

  const placeIn = (element: Locator, entry: number, of: number) =>
    element.getByText(`${entry} / ${of}`).first().waitFor()

  test('plays two runs on one page, each by itself', async () => {
    await using pages = await StoryPages.serve({
      ...stories,
      '/two.html': pageWith(
        '<troupe-run src="/run.story"></troupe-run><troupe-run src="/hostile.story"></troupe-run>',
      ),
    })
    await using view = await opened(pages, '/two.html')
    const [first, second] = [view.page.locator('troupe-run').nth(0), view.page.locator('troupe-run').nth(1)]
    const rows = stories['/run.story']?.trim().split('\n').length ?? 0
    const others = stories['/hostile.story']?.trim().split('\n').length ?? 0
    await placeIn(first, 1, rows - 1)
    await placeIn(second, 1, others - 1)
    await first.getByRole('button', { name: 'The next entry' }).click()
    await first.getByRole('button', { name: 'The next entry' }).click()
    await placeIn(first, 3, rows - 1)
    await placeIn(second, 1, others - 1)
    await first.getByRole('slider').fill(String(rows - 2))
    await placeIn(first, rows - 2, rows - 1)
    await first.getByRole('button', { name: 'The last entry' }).click()
    await placeIn(first, rows - 1, rows - 1)
    await first.getByRole('treegrid').getByRole('row', { name: /clerk/ }).first().click()
    await first.getByRole('tab', { name: 'Messages' }).click()
    await first.getByText('Pay 7 euros.').first().waitFor()
    await second.getByRole('heading', { name: 'What it led to' }).waitFor()
    expect(await second.getByText('Pay 7 euros.').count()).toBe(0)
    expect(view.faults).toEqual([])
  })

  test('plays to the end, and stops there', async () => {
    await using pages = await StoryPages.serve({
      ...stories,
      '/one.html': pageWith('<troupe-run src="/run.story"></troupe-run>'),
    })
    await using view = await opened(pages, '/one.html')
    const element = view.page.locator('troupe-run')
    const rows = (stories['/run.story']?.trim().split('\n').length ?? 0) - 1
    await element.getByRole('slider').fill(String(rows - 1))
    await element.getByRole('button', { name: 'Play' }).click()
    await placeIn(element, rows, rows)
    await element.getByRole('button', { name: 'Play' }).waitFor()
    await element.getByRole('button', { name: 'Play' }).click()
    await placeIn(element, 1, rows)
    await element.getByRole('button', { name: 'Pause' }).click()
    expect(view.faults).toEqual([])
  })

  test('plays a story that was given before its script had come', async () => {
    const story = JSON.stringify(stories['/run.story']).replaceAll('<', String.raw`\u003C`)
    await using pages = await StoryPages.serve({
      '/early.html': pageWith('<troupe-run></troupe-run><script src="/early.js"></script>'),
      '/early.js': `document.querySelector('troupe-run').story = ${story}`,
    })
    await using view = await opened(pages, '/early.html')
    const rows = (stories['/run.story']?.trim().split('\n').length ?? 0) - 1
    await placeIn(view.page.locator('troupe-run'), 1, rows)
    expect(view.faults).toEqual([])
  })

  test('leaves keys, address, styles and names of the page alone', async () => {
    await using pages = await StoryPages.serve({
      ...stories,
      '/bare.html': pageWith('').replace(/<script.*?<\/script>/, ''),
      '/one.html': pageWith('<troupe-run src="/run.story"></troupe-run>'),
    })
    await using bare = await opened(pages, '/bare.html')
    const facts = `JSON.stringify([Object.keys(window).length, document.styleSheets.length, history.length, document.body.className,
      getComputedStyle(document.querySelector('button')).color, getComputedStyle(document.querySelector('h1')).fontFamily])`
    const before = await bare.page.evaluate<string>(facts)
    await using view = await opened(pages, '/one.html')
    const { page } = view
    const element = page.locator('troupe-run')
    await element.getByText('1 / ').first().waitFor()
    await page.evaluate(
      `window.heard = []; addEventListener('keydown', (event) => heard.push(event.key)); delete window.heard.x`,
    )
    // A key of the page does not step the run, and one of the run is not heard by the page.
    await page.getByRole('button', { name: 'Of the page' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('End')
    expect(await element.getByRole('slider').inputValue()).toBe('1')
    await element.getByRole('button', { name: 'The next entry' }).focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'End', 'Home', 'ArrowRight', 'x'])
      await page.keyboard.press(key)
    expect(await element.getByRole('slider').inputValue()).toBe('2')
    expect(await page.evaluate('heard')).toEqual(['ArrowRight', 'End', 'x'])
    await page.evaluate('delete window.heard')
    expect(await page.evaluate<string>(facts)).toBe(before)
    expect(page.url()).toBe(`${pages.origin}/one.html`)
    const color =
      'getComputedStyle(document.querySelector("troupe-run").shadowRoot.querySelector("button")).color'
    expect(await page.evaluate<string>(color)).not.toBe('rgb(255, 0, 0)')
    expect(view.faults).toEqual([])
  })

  test('shows hostile text as text', async () => {
    await using pages = await StoryPages.serve({
      ...stories,
      '/one.html': pageWith('<troupe-run src="/hostile.story"></troupe-run>'),
    })
    await using view = await opened(pages, '/one.html')
    const element = view.page.locator('troupe-run')
    await element.getByRole('button', { name: 'The last entry' }).click()
    for (const tab of ['Entry', 'Thread', 'Messages', 'Events', 'Context']) {
      await element.getByRole('tab', { name: tab }).click()
      await expect.poll(() => element.getByText(/^Loading/).count(), soon).toBe(0)
      await expect.poll(() => element.getByText('<script>').count(), soon).toBeGreaterThan(0)
    }
    expect(await view.page.evaluate<boolean>("'harmed' in window")).toBe(false)
    expect(await element.locator('script, img').count()).toBe(0)
    expect(view.faults).toEqual([])
  })

  test('has the thread of the run, and searches all that its entries hold', async () => {
    await using pages = await StoryPages.serve({
      ...stories,
      '/one.html': pageWith(`${'<p>Above.</p>'.repeat(120)}<troupe-run src="/run.story"></troupe-run>`),
    })
    await using view = await opened(pages, '/one.html')
    const element = view.page.locator('troupe-run')
    const rows = (stories['/run.story']?.trim().split('\n').length ?? 0) - 1
    await element.getByRole('tab', { name: 'Thread' }).click()
    const thread = element.getByRole('group', { name: 'Thread' })
    await thread.getByText('The bill is settled.').first().waitFor()
    await thread.getByRole('button', { name: 'entry 3' }).click()
    await placeIn(element, 3, rows)
    const search = element.getByRole('combobox', { name: 'Search the entries' })
    await search.fill('7 euros nowhere')
    await element.getByText('0 entries').waitFor()
    await search.fill('pay euros')
    const hits = element.getByRole('option')
    await expect.poll(() => hits.count(), soon).toBeGreaterThan(0)
    await pictured(view.page, 'element-search')
    const [hit] = await hits.allInnerTexts()
    await search.press('Enter')
    // More hits may still come, and draw the list anew.
    const chosen = element.locator('.search-hit.now')
    await expect
      .poll(async () => (await hits.allInnerTexts()).indexOf(await chosen.innerText()), soon)
      .not.toBe(-1)
    expect(hit).toBeDefined()
    // The page around stays where it is, whichever entry the thread comes to.
    const top = () => element.evaluate((one) => one.getBoundingClientRect().top)
    await view.page.evaluate(`document.querySelector('p').scrollIntoView()`)
    const before = await top()
    expect(before).toBeGreaterThan(1_000)
    await element.evaluate((one) => {
      const buttons = [...(one.shadowRoot?.querySelectorAll('button') ?? [])]
      buttons.find((button) => button.ariaLabel === 'The entry before')?.click()
    })
    await expect.poll(() => element.locator('.turn[aria-current]').count(), soon).toBe(1)
    expect(await top()).toBe(before)
    expect(view.faults).toEqual([])
  })

  test('says why a story cannot be shown, and takes another', async () => {
    await using pages = await StoryPages.serve({
      ...stories,
      '/cut.story': (stories['/run.story'] ?? '').slice(0, -40),
      '/other.txt': `Hello ${script}`,
      '/one.html': pageWith('<troupe-run></troupe-run>'),
    })
    await using view = await opened(pages, '/one.html')
    const element = view.page.locator('troupe-run')
    const shown = async (src: string) => {
      await view.page.evaluate(
        `document.querySelector('troupe-run').setAttribute('src', ${JSON.stringify(src)})`,
      )
      return element.getByRole('alert')
    }
    await element.getByRole('alert').filter({ hasText: 'has no src' }).waitFor()
    await (await shown('/gone.story')).filter({ hasText: 'status 404' }).waitFor()
    await (await shown('/cut.story')).filter({ hasText: 'is no entry' }).waitFor()
    await (await shown('/other.txt')).filter({ hasText: 'This is no story' }).waitFor()
    await shown('/run.story')
    await element.getByText('1 / ').first().waitFor()
    await view.page.evaluate(
      `{ const run = document.querySelector('troupe-run'); run.remove(); document.body.append(run) }`,
    )
    await element.getByText('1 / ').first().waitFor()
    await view.page.evaluate(
      `document.querySelector('troupe-run').story = ${JSON.stringify(stories['/hostile.story'])}`,
    )
    await element.getByRole('heading', { name: 'reader' }).first().waitFor()
    expect(view.faults).toEqual([])
  })

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('is accessible and whole at %i pixels, %s', async (width, colorScheme) => {
    await using pages = await StoryPages.serve({
      ...stories,
      '/one.html': pageWith('<troupe-run src="/run.story"></troupe-run>').replace('/page.css', '/none.css'),
      '/none.css': '',
    })
    await using view = await opened(pages, '/one.html', { width, height: 844, colorScheme })
    const element = view.page.locator('troupe-run')
    await element.getByRole('slider').fill('5')
    for (const tab of ['Entry', 'Thread', 'Messages', 'Events', 'Context']) {
      await element.getByRole('tab', { name: tab }).click()
      await expect.poll(() => element.getByText(/^Loading/).count(), soon).toBe(0)
      if (!(await view.page.evaluate<boolean>("'axe' in window")))
        await view.page.evaluate(`${axe.source}\nundefined`)
      const { violations } = await view.page.evaluate<{
        violations: { id: string; nodes: { html: string }[] }[]
      }>(`axe.run(document.querySelector('troupe-run'), { resultTypes: ['violations'] })`)
      expect([
        tab,
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]),
      ]).toEqual([tab, []])
    }
    const wide = `document.documentElement.scrollWidth > innerWidth || document.querySelector('troupe-run').shadowRoot.querySelector('.player').scrollWidth > document.querySelector('troupe-run').clientWidth`
    expect(await view.page.evaluate<boolean>(wide)).toBe(false)
    expect(view.faults).toEqual([])
  })
})
