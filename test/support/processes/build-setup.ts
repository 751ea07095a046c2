/**
 * Before all tests, and before those that a change repeats: builds from the present sources what processes and browsers
 * load in tests. A process reads the modules of the package in a third of the time that the sources take.
 */
import type { TestProject } from 'vitest/node'
import { ensureModules } from '../../../scripts/build/modules.ts'
import { ensurePage } from '../../../scripts/page/build-page.ts'
import { isLeftOut, missing } from '../../inspector/browser/support/chromium-place.ts'

export async function setup(project: TestProject): Promise<void> {
  await build()
  project.onTestsRerun(build)
  if (isLeftOut) console.warn(`The tests in a browser are left out. ${missing}`)
}

async function build(): Promise<void> {
  await ensureModules()
  await ensurePage()
}
