/** Example 40 in a browser: pages are reloaded and servers killed in the midst of an answer, and people see what is theirs. */
import type { Page } from 'playwright-core'
import type { ServedRun } from 'troupe/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { script } from '../../../examples/40-support-desk/script.ts'
import { isLeftOut } from '../../inspector/browser/support/chromium-place.ts'
import { theBrowser, useBrowser } from '../../inspector/browser/support/chromium.ts'
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts'
import { freePort, startApp, type App } from './support/app.ts'
import { HeldModel } from './support/held-model.ts'

const question = 'Where is order B-20?'
const answer = 'Your bookshelf of order B-20 is in the depot in Hamburg.'

describe.skipIf(isLeftOut)('the support desk', () => {
  useBrowser()

  let folder: TemporaryFolder
  let model: HeldModel
  let environment: Readonly<Record<string, string>>
  let app: App

  const start = () => startApp('40-support-desk', [folder.file('desk.db')], environment)

  beforeAll(async () => {
    folder = temporaryFolder()
    model = await HeldModel.open(script)
    environment = { ...model.environment, PORT: await freePort(), SESSION_SECRET: 'of the tests' }
    app = await start()
  })

  afterAll(async () => {
    await app.kill()
    await model[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  /** A page of a user, in a browser of its own. */
  async function open(name: string): Promise<Page> {
    const page = await (await theBrowser().newContext()).newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(app.url)
    await page.getByRole('button', { name }).click()
    await page.getByRole('heading', { name: name === 'sam' ? 'Inbox' : 'Support' }).waitFor()
    return page
  }

  async function ask(page: Page, text: string): Promise<void> {
    await page.getByLabel('Your question').fill(text)
    await page.getByRole('button', { name: 'Send' }).click()
  }

  /** The texts of the answers that a page shows, once its last run has ended. */
  async function answersOf(page: Page): Promise<readonly string[]> {
    await page.locator('article[data-status=settled]').last().waitFor()
    await expect.poll(() => page.locator('article[aria-busy=true]').count()).toBe(0)
    return page.locator('.answer').allTextContents()
  }

  /** Leaves a page in the midst of the answer to its question. */
  async function askForHalf(page: Page): Promise<void> {
    model.holdBehind('the')
    await ask(page, question)
    await half(page)
  }

  const half = (page: Page) =>
    page.getByText('Your bookshelf of order B-20 is in the', { exact: true }).waitFor()

  test('a page that is reloaded in the midst of an answer shows the whole answer once', async () => {
    const page = await open('ann')
    await askForHalf(page)
    await page.reload()
    await half(page)
    model.release()
    expect(await answersOf(page)).toEqual([answer])
    await page.reload()
    expect(await answersOf(page)).toEqual([answer])
    await page.context().close()
  })

  test('a server that is killed in the midst of an answer is started again: the page shows the whole answer once', async () => {
    const page = await open('ben')
    await askForHalf(page)
    await app.kill()
    await page.getByText('Connecting again …').waitFor()
    model.release()
    app = await start()
    expect(await answersOf(page)).toEqual([answer])
    await page.reload()
    expect(await answersOf(page)).toEqual([answer])
    await page.context().close()
  })

  test('one of the staff approves in the inbox, and the run of the customer goes on', async () => {
    const [page, inbox] = await Promise.all([open('ann'), open('sam')])
    await ask(page, 'The lamp of order A-17 is broken.')
    await page.getByText('refund: waits for a colleague').waitFor()
    await inbox.getByText('The lamp of order A-17 is broken.').waitFor()
    await inbox.getByText('{"number":"A-17","euros":45}').waitFor()
    await inbox.getByLabel('Note').fill('We have a photo.')
    await inbox.getByRole('button', { name: 'Approve' }).click()
    await inbox.getByText('Nothing waits.').waitFor()
    await page.getByText('refund: done (“We have a photo.”)').waitFor()
    expect((await answersOf(page)).at(-1)).toBe(
      'I am sorry about order A-17. The money is on its way to you, and you may keep the parcel.',
    )
    await Promise.all([page.context().close(), inbox.context().close()])
  })

  test('a customer has no run of another, and answers no question; the staff answer, and start nothing', async () => {
    const [ann, ben, sam] = await Promise.all([open('ann'), open('ben'), open('sam')])
    const prompt = 'Please send the money for order A-17 back.'
    await ask(ann, prompt)
    await ann.getByText('refund: waits for a colleague').waitFor()
    const { items } = await json<{ items: readonly ServedRun[] }>(ann, '/api/runs?limit=1')
    const run = `/api/runs/${items[0]?.runId}`
    const approval = { type: 'approve', toolCallId: items[0]?.awaiting[0]?.toolCallId }
    const refused = [
      await status(ben, run),
      await status(ben, `${run}/events`),
      await status(ben, `${run}/answers`, approval),
      await status(ben, `${run}/cancel`, {}),
    ]
    expect(refused).toEqual(refused.map(() => 404))
    expect(await status(ann, `${run}/answers`, approval)).toBe(403)
    expect(await status(sam, '/api/agents/support/runs', { prompt })).toBe(403)
    expect(await json(ben, '/api/awaiting')).toEqual({ items: [] })
    await ben.reload()
    expect(await answersOf(ben)).toEqual([answer])
    await ben.context().clearCookies()
    expect(await status(ben, run)).toBe(401)
    await sam.getByRole('button', { name: 'Deny' }).click()
    await ann.getByText('refund: not approved').waitFor()
    expect((await answersOf(ann)).at(-1)).toBe(
      'I am sorry, I cannot pay order A-17 back. A colleague will write to you.',
    )
    await Promise.all([ann, ben, sam].map((page) => page.context().close()))
  })
})

/** The status of the answer to a request of a page: with a body it is a POST. */
function status(page: Page, path: string, body?: object): Promise<number> {
  return page.evaluate(
    async ([path, body]) => {
      const headers = { 'content-type': 'application/json' }
      const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(path, init)).status
    },
    [path, body] as const,
  )
}

function json<Value>(page: Page, path: string): Promise<Value> {
  return page.evaluate(async (path) => (await (await fetch(path)).json()) as Value, path)
}
