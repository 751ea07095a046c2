/** Chromium for the tests of the page. */
import { chromium, type Browser } from 'playwright-core'
import { beforeAll } from 'vitest'
import { executablePath, isThere, missing } from './chromium-place.ts'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

let browser: Browser | undefined

/** Opens the browser for the tests of a file. It is that of all files of this process, and ends with the process. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (!isThere) throw new Error(missing)
    browser ??= await chromium.launch({ executablePath, args })
  })
}

export function theBrowser(): Browser {
  if (browser === undefined) throw new Error('The browser is open where useBrowser was called.')
  return browser
}
