/** Before all tests: the page of the inspector is built from its present sources. */
import { ensurePage } from '../../scripts/page/build-page.ts'

export async function setup(): Promise<void> {
  await ensurePage()
}
