/**
 * Chromium for the tests of the page. Where it must be there (`CI`, or `REQUIRE_CHROMIUM` as `.ci/run` sets it), its absence
 * is a failed test; elsewhere the tests are left out under a name that says why.
 */
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const isThere = existsSync(executablePath)
const isRequired = process.env['CI'] !== undefined || process.env['REQUIRE_CHROMIUM'] !== undefined

const flags = [
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

/** Tests in a browser. */
export function describeInBrowser(title: string, tests: () => void): void {
  const missing = `there is no Chromium at ${executablePath}: install it, or name it in CHROMIUM`
  if (isThere) {
    describe(title, () => {
      beforeAll(async () => {
        browser = await chromium.launch({ executablePath, args: flags })
      })
      afterAll(async () => {
        await browser?.close()
      })
      tests()
    })
  } else if (isRequired) {
    test(title, () => {
      throw new Error(`The tests of the page cannot run: ${missing}.`)
    })
  } else {
    describe.skipIf(!isThere)(`${title} (left out: ${missing})`, tests)
  }
}

export function theBrowser(): Browser {
  if (browser === undefined) throw new Error('The browser is open within describeInBrowser alone.')
  return browser
}
