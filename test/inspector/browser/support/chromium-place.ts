/**
 * The place of Chromium. Where it must be there (`CI`, or `REQUIRE_CHROMIUM` as `.ci/run` sets it), its absence fails the
 * tests of the page; elsewhere they are left out, and the setup of the tests says so.
 */
import { existsSync } from 'node:fs'

/** The first one has no window, and none of what belongs to windows: tests take half the time in it. */
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const

export const executablePath =
  process.env['CHROMIUM'] ?? places.find((place) => existsSync(place)) ?? places[0]
export const isThere = existsSync(executablePath)
const isRequired = process.env['CI'] !== undefined || process.env['REQUIRE_CHROMIUM'] !== undefined

/** The tests in a browser cannot run, and need not. */
export const isLeftOut = !isThere && !isRequired

/** Why there is no browser. */
export const missing = `There is no Chromium at ${executablePath}: install it, or name it in CHROMIUM.`
