/** Before all tests: the page of the inspector is built from its present sources. */
import { ensurePage } from '../../scripts/page/build-page.ts'
import { isLeftOut, missing } from './browser/support/chromium-place.ts'

export async function setup(): Promise<void> {
  await ensurePage()
  if (isLeftOut) console.warn(`The tests in a browser are left out. ${missing}`)
}
