import { createMachine } from 'xstate'
import { describe, expect, test } from 'vitest'
import { toStateTable } from '../../src/diagram/index.ts'

describe('toStateTable', () => {
  test('has a row for each state, with all its transitions', () => {
    const machine = createMachine({
      id: 'agent',
      description: 'Not a state.',
      initial: 'working',
      on: { cancel: '.cancelled', tick: { actions: 'count' } },
      states: {
        working: {
          description: 'Asks,\n  then acts.',
          initial: 'asking',
          on: { again: { target: 'working', reenter: true }, same: 'working', reset: '.asking' },
          states: {
            asking: {
              on: {
                answer: [{ guard: 'isYes', target: 'acting' }, { target: '#agent.cancelled' }],
                tick: {},
              },
            },
            acting: { always: '#agent.working.asking' },
          },
        },
        cancelled: { type: 'final', description: 'One | the other.' },
      },
    })
    expect(toStateTable(machine)).toBe(`| state | description | leaves when |
| --- | --- | --- |
| any state |  | \`cancel\` → \`cancelled\`<br>\`tick\` stays |
| \`working\` | Asks, then acts. | \`again\` → \`working\`<br>\`same\` stays<br>\`reset\` → \`asking\` |
| \`working.asking\` |  | \`answer [isYes]\` → \`acting\`<br>\`answer [else]\` → \`cancelled\`<br>\`tick\` stays |
| \`working.acting\` |  | \`always\` → \`asking\` |
| \`cancelled\` | One \\| the other. | final |
`)
  })

  test('names a state elsewhere by its path', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { on: { go: '#deep' } }, b: { initial: 'c', states: { c: { id: 'deep' } } } },
    })
    expect(toStateTable(machine)).toContain('| `a` |  | `go` → `b.c` |')
  })

  test('has no row for a machine that does nothing as a whole', () => {
    const machine = createMachine({ initial: 'a', states: { a: {} } })
    expect(toStateTable(machine)).toBe(
      '| state | description | leaves when |\n| --- | --- | --- |\n| `a` |  |  |\n',
    )
  })
})
