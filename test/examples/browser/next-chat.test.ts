/** Example 41: an app of Next.js, driven in a browser; `useChat` takes every chunk. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { script } from '../../../examples/41-next-chat/script.ts'
import { isLeftOut } from '../../inspector/browser/support/chromium-place.ts'
import { theBrowser, useBrowser } from '../../inspector/browser/support/chromium.ts'
import { lines, offline, runExample } from '../run-example.ts'
import { startApp, type App } from './support/app.ts'
import { HeldModel } from './support/held-model.ts'

const wish = 'I have to go to Bergen.'
const answer = 'Your seat to Bergen is booked: train IC 17 leaves at 09:12, and you have the window.'

test('41-next-chat', async () => {
  const { code, stdout, stderr } = await runExample('41-next-chat')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^(traveller|bureau|approved|performed|A page)\b/)).toEqual([
    `traveller: ${wish}`,
    'bureau: trains output-available, book approval-requested',
    `approved: trains output-available, book output-available, ${answer}`,
    'traveller: Show the page dark, please.',
    'bureau: theme input-available',
    'performed: theme output-available, The page is dark now.',
    'A page that is loaded now shows the booking: true',
    'A page of summaries says who was asked: true',
  ])
})

describe.skipIf(isLeftOut)('a chat of Next.js', () => {
  useBrowser()

  let model: HeldModel
  let app: App
  const faults: string[] = []

  beforeAll(async () => {
    model = await HeldModel.open(script)
    app = await startApp('41-next-chat', [], { ...model.environment, PORT: '0' })
  })

  afterAll(async () => {
    await app.kill()
    await model[Symbol.asyncDispose]()
  })

  /** The page of a new visitor. */
  async function open(): Promise<Page> {
    const page = await (await theBrowser().newContext()).newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => faults.push(error.message))
    await page.goto(app.url)
    return page
  }

  async function send(page: Page, text: string): Promise<void> {
    await page.getByLabel('Your message').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }

  const shows = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()
  const messages = (page: Page) => page.locator('article')

  test('a page that is reloaded at a question, and in the midst of an answer, has the whole message once', async () => {
    const page = await open()
    model.holdBehind('leaves')
    await send(page, wish)
    await shows(page, 'scout answers: Take IC 17 to Bergen at 09:12: it costs 39 euros.')
    await shows(page, 'Approve')
    const atQuestion = await messages(page).allInnerTexts()
    await page.reload()
    await shows(page, 'Approve')
    expect(await messages(page).allInnerTexts()).toEqual(atQuestion)

    await page.getByRole('button', { name: 'Approve' }).click()
    const half = 'Your seat to Bergen is booked: train IC 17 leaves'
    await shows(page, half)
    await page.reload()
    await shows(page, half)
    model.release()
    await shows(page, answer)
    await shows(page, 'book: output-available')
    const atEnd = await messages(page).allInnerTexts()
    expect(atEnd).toHaveLength(2)
    expect(atEnd.join('\n').split(answer)).toHaveLength(2)
    await page.reload()
    await shows(page, answer)
    expect(await messages(page).allInnerTexts()).toEqual(atEnd)

    await send(page, 'Thank you.')
    await shows(page, 'Where do you want to go? Write for example: I have to go to Bergen.')
    await expect.poll(() => messages(page).count()).toBe(4)
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0)
    await page.context().close()
  })

  test('a tool of the page is performed by the page', async () => {
    const page = await open()
    const colours = () => page.evaluate(() => document.documentElement.style.colorScheme)
    await send(page, 'Show the page dark, please.')
    await shows(page, 'The page is dark now.')
    await shows(page, 'theme: output-available')
    expect(await colours()).toBe('dark')
    await page.reload()
    await expect.poll(colours).toBe('dark')
    await page.context().close()
  })

  test('a page that is loaded again at a call of its tool performs it', async () => {
    const page = await open()
    let sent = 0
    const isResult = () => sent++ > 0
    await page.route('**/agents/bureau/chat', (route) => (isResult() ? route.abort() : route.continue()))
    await send(page, 'Show the page light, please.')
    await page.getByRole('main').getByRole('alert').waitFor()
    await page.unroute('**/agents/bureau/chat')
    await page.reload()
    await shows(page, 'The page is light now.')
    expect(await page.evaluate(() => document.documentElement.style.colorScheme)).toBe('light')
    await page.context().close()
  })

  test('a call that is denied is not made, and another visitor sees nothing of it', async () => {
    const [page, other] = await Promise.all([open(), open()])
    await send(page, wish)
    await page.getByRole('button', { name: 'Deny' }).click()
    await shows(page, 'book: output-denied')
    await shows(page, 'Nothing is booked. Tell me when you want to go to Bergen after all.')
    await page.getByRole('link', { name: 'Runs' }).click()
    await page.getByText('asked for approval of book: denied').waitFor()
    await other.goto(`${app.url}runs`)
    expect(await messages(other).count()).toBe(0)
    await other.goto(app.url)
    expect(await messages(other).count()).toBe(0)
    const status = (path: string) => other.evaluate(async (path) => (await fetch(path)).status, path)
    expect(await status('/api/chat/agents/bureau/chat/main/stream')).toBe(204)
    await other.context().clearCookies()
    expect(await status('/api/chat/agents/bureau/chat/main/stream')).toBe(401)
    await Promise.all([page.context().close(), other.context().close()])
    expect(faults).toEqual([])
  })
})
