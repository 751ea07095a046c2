/** A page of an inspector in a browser of its own, which records all that a page must not do. */
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Inspector } from 'troupe/inspector'
import { expect } from 'vitest'
import { theBrowser } from './chromium.ts'

/** How long a test waits for something that the page must show. */
export const soon = { timeout: 30_000 }

export class OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** The requests of the page to its server, without those for its own files. */
  readonly requests: string[] = []
  /** Requests to another server, errors that no code has caught, and violations of the page's policy. */
  readonly faults: string[] = []
  readonly #url: URL

  private constructor(context: BrowserContext, page: Page, url: URL) {
    this.context = context
    this.page = page
    this.#url = url
    page.on('request', (request) => {
      const { origin, pathname, protocol } = new URL(request.url())
      if (protocol === 'blob:' || protocol === 'data:') return
      if (origin !== url.origin) this.faults.push(`a request to ${request.url()}`)
      else if (pathname.startsWith('/api/')) this.requests.push(`${request.method()} ${pathname}`)
    })
    page.on('pageerror', (error) => this.faults.push(`an error: ${error.message}`))
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) this.faults.push(message.text())
    })
  }

  /** `path`: of the place to show, such as `/inbox`. */
  static async of(
    view: Pick<Inspector, 'url'>,
    path = '/',
    options: BrowserContextOptions = {},
  ): Promise<OpenedPage> {
    const url = new URL(await view.url)
    const context = await theBrowser().newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    context.setDefaultTimeout(soon.timeout)
    const opened = new OpenedPage(context, await context.newPage(), url)
    await opened.page.goto(`${url.origin}${path}${url.hash}`)
    return opened
  }

  /** The place that the address of the page has. */
  get place(): string {
    const { pathname, search } = new URL(this.page.url())
    return pathname + search
  }

  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#url.origin}${path}`)
  }

  /** Presses keys, one after another. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  /** The position of the entry that is shown, from 1, and the number of entries; once it is this one. */
  async showsEntry(entry: number, of: number): Promise<void> {
    await this.page.getByText(`entry ${entry} of ${of}`, { exact: true }).waitFor()
  }

  /** The status of the run that is shown, once it is this one. */
  async showsStatus(status: string): Promise<void> {
    await this.page.locator('.run-title .badge').getByText(status, { exact: true }).waitFor()
  }

  /** Closes the page, which must have done nothing that it must not do. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close()
    expect(this.faults).toEqual([])
  }
}
