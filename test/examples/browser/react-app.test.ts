/** Example 42: an app of XState in a page. It is reloaded at its question, in the midst of its answer, and at rest. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { script } from '../../../examples/42-react-app/script.ts'
import { isLeftOut } from '../../inspector/browser/support/chromium-place.ts'
import { theBrowser, useBrowser } from '../../inspector/browser/support/chromium.ts'
import { lines, offline, runExample } from '../run-example.ts'
import { startApp, type App } from './support/app.ts'
import { HeldModel } from './support/held-model.ts'

const need = 'A lamp for the desk at the window.'
const answer = (order: string) =>
  `I have ordered the desk lamp for 45 euros. It is order ${order}, and it comes on Monday.`

test('42-react-app', async () => {
  const { code, stdout, stderr } = await runExample('42-react-app')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(offline)
  expect(lines(stdout, /^(you|buyer|The page|Orders)/)).toEqual([
    `you: ${need}`,
    'The page is loaded again. Orders so far: 0',
    'buyer: may I order {"item":"desk lamp","euros":45}?',
    `buyer: ${answer('P-1')}`,
    'Orders: [{"item":"desk lamp","euros":45,"number":"P-1"}]',
  ])
})

describe.skipIf(isLeftOut)('an app of XState in React', () => {
  useBrowser()

  let model: HeldModel
  let app: App
  const faults: string[] = []

  beforeAll(async () => {
    model = await HeldModel.open(script)
    app = await startApp('42-react-app', [], { ...model.environment, PORT: '0' })
  })

  afterEach(() => {
    expect(faults).toEqual([])
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

  async function ask(page: Page): Promise<void> {
    await page.getByLabel('What is needed').fill(need)
    await page.getByRole('button', { name: 'Ask the buyer' }).click()
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
  const shows = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()
  const isIn = (page: Page, state: string) => page.locator(`[data-state=${state}]`).waitFor()
  const answers = (page: Page) => page.locator('.answer').allTextContents()
  /** Of the runs that have ended, by the journals that the page keeps. */
  const outcomes = (page: Page): Promise<readonly string[]> =>
    page.evaluate(() =>
      Object.values(localStorage)
        .flatMap((text: string) => /"type":"run.settled".*"outcome":"(\w+)"/.exec(text)?.[1] ?? [])
        .toSorted(),
    )
  const orders = async (): Promise<readonly { readonly number: string }[]> =>
    (await (await fetch(new URL('/orders', app.url))).json()) as { number: string }[]

  test('a page that is reloaded at its question and in the midst of its answer orders once, and has the answer once', async () => {
    const page = await open()
    const before = (await orders()).length
    const calls = model.requests
    await ask(page)
    await shows(page, 'order: waiting')
    await page.reload()
    await isIn(page, 'buying')
    await shows(page, 'order: waiting')
    await shows(page, need)
    expect(await orders()).toHaveLength(before)
    expect(model.requests).toBe(calls + 2)

    model.holdBehind('euros.')
    await press(page, 'Approve')
    const half = 'I have ordered the desk lamp for 45 euros. '
    await expect.poll(() => answers(page)).toEqual([half])
    await page.reload()
    await shows(page, 'order: succeeded')
    await expect.poll(() => answers(page)).toEqual([half])
    model.release()
    await isIn(page, 'waiting')
    const [order] = (await orders()).slice(before)
    expect(await answers(page)).toEqual([answer(order?.number ?? '')])
    expect(await orders()).toHaveLength(before + 1)
    // Only the call that was under way was made again.
    expect(model.requests).toBe(calls + 4)

    await page.reload()
    await isIn(page, 'waiting')
    expect(await answers(page)).toEqual([answer(order?.number ?? '')])
    expect(model.requests).toBe(calls + 4)
    await page.context().close()
  })

  test('a call that is denied orders nothing; to leave the state cancels the run, also after a reload', async () => {
    const page = await open()
    const before = await orders()
    await ask(page)
    await press(page, 'Deny')
    await isIn(page, 'waiting')
    expect(await answers(page)).toEqual(['I have ordered nothing. Tell me what else would help you.'])
    await ask(page)
    await shows(page, 'order: waiting')
    await page.reload()
    await shows(page, 'order: waiting')
    await press(page, 'Never mind')
    await isIn(page, 'waiting')
    await expect.poll(() => outcomes(page)).toEqual(['cancelled', 'completed'])
    await page.reload()
    await isIn(page, 'waiting')
    expect(await answers(page)).toHaveLength(1)
    expect(await orders()).toEqual(before)
    await page.context().close()
  })

  test('a page that is left before its run is on record begins the run', async () => {
    const page = await open()
    await ask(page)
    await shows(page, 'order: waiting')
    const calls = model.requests
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('run ')) localStorage.removeItem(key)
    })
    await page.reload()
    await shows(page, 'order: waiting')
    expect(model.requests).toBe(calls + 2)
    await press(page, 'Deny')
    await isIn(page, 'waiting')
    expect(await outcomes(page)).toEqual(['completed'])
    await page.context().close()
  })

  test('a second page of the browser waits for the first, and goes on where that was', async () => {
    const page = await open()
    await ask(page)
    await shows(page, 'order: waiting')
    const second = await page.context().newPage()
    second.setDefaultTimeout(60_000)
    await second.goto(app.url)
    await shows(second, 'The app is open on another page of this browser.')
    await page.close()
    await shows(second, 'order: waiting')
    await press(second, 'Approve')
    await isIn(second, 'waiting')
    expect(await answers(second)).toHaveLength(1)
    await second.context().close()
  })
})
