/** Names of servers' tools become names that models accept. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toolNames } from '../../src/mcp/tools/mcp-tools.ts'

test('a name that is allowed stays as it is', () => {
  expect([...toolNames(['read_file', 'list-all'], '')]).toEqual([
    ['read_file', 'read_file'],
    ['list-all', 'list-all'],
  ])
  expect(toolNames(['read'], 'files_').get('read')).toBe('files_read')
})

test('other characters, a beginning that is no letter, and reserved beginnings are replaced', () => {
  expect([...toolNames(['a.b/c', '1st', 'agent-x', 'transfer-to-y', 'größe'], '').values()]).toEqual([
    'a_b_c',
    'tool_1st',
    'tool_agent-x',
    'tool_transfer-to-y',
    'gr__e',
  ])
})

test('each tool has a name of its own that is allowed, in whatever order they come', () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 120 }),
    fc.constantFrom('a.b', 'a_b', 'a/b', 'a b'),
  )
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), fc.constantFrom('', 'x_', '9-'), (names, prefix) => {
      const named = toolNames(names, prefix)
      const made = [...named.values()]
      expect(new Set(made).size).toBe(names.length)
      for (const one of made) expect(one).toMatch(/^[A-Za-z][A-Za-z0-9_-]{0,54}$/)
      expect(new Map(toolNames(names.toReversed(), prefix))).toEqual(new Map(named))
    }),
  )
})
