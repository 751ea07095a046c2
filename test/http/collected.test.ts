/** A stream holds its request: the abort of one that nobody else holds ends its stream. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('each stream ends with its request, also where the request was to be collected', async () => {
  const file = join(import.meta.dirname, 'support/collected-requests.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--conditions=troupe-source',
    '--disable-warning=ExperimentalWarning',
    file,
  ])
  expect(stdout.trim()).toBe('20')
}, 240_000)
