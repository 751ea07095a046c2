/** The versions of Node that Troupe refuses at its import. That every entry of the package does so, its checks show. */
import { readFileSync } from 'node:fs'
import { TroupeError } from 'troupe'
import { expect, test } from 'vitest'
import { assertSupportedNode } from '../../src/entry/supported-node.ts'

test.each(['22.13.0', '22.18.1', '23.0.0', '24.21.0', '100.0.0'])('Node %s is supported', (version) => {
  expect(() => assertSupportedNode(version)).not.toThrow()
})

test('a browser is supported', () => {
  expect(() => assertSupportedNode(undefined)).not.toThrow()
})

test.each(['22.12.0', '22.2.0', '21.7.3', '20.20.2', '18.20.8', '9.0.0'])(
  'Node %s is refused in one sentence',
  (version) => {
    expect(() => assertSupportedNode(version)).toThrow(
      new TroupeError('NODE_TOO_OLD', `Troupe needs Node 22.13 or later, and this is Node ${version}.`),
    )
  },
)

test('the lowest version is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string }
  }
  expect(engines.node).toBe('>=22.13')
})
