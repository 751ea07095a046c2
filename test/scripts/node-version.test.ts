/** On a Node that is too old, the configuration of the tests names the version that they need. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')

/** Loads the configuration on a Node that says that it is of this version. */
function loadedOn(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  return spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, 'vitest.config.ts'],
    { cwd: root, encoding: 'utf8' },
  )
}

test('an older Node is told which one the tests need', () => {
  const { status, stderr } = loadedOn('22.18.0')
  expect(status).toBe(1)
  const pinned = manifest.devDependencies.node
  expect(stderr).toContain(
    `The tests need Node ${pinned.split('.')[0]} or later, and this is Node 22.18.0. After "npm ci", "npm test" and ` +
      `"npx vitest" run them on Node ${pinned}.`,
  )
})

test('the pinned one is not refused', () => {
  expect(loadedOn(process.versions.node)).toMatchObject({ status: 0, stderr: '' })
})
