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
| \`working\` | Asks, then acts. | \`again\` → \`working\` (entered again)<br>\`same\` → \`working\` (itself)<br>\`reset\` → \`asking\` |
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

  test('tells a transition to the state itself from one without a target', () => {
    const machine = createMachine({
      initial: 'judging',
      states: {
        judging: {
          always: [
            { guard: 'forgives', target: 'judging' },
            { guard: 'hasPlace', actions: 'start' },
          ],
        },
      },
    })
    expect(toStateTable(machine)).toContain('| `[forgives]` → `judging` (itself)<br>`[hasPlace]` stays |')
  })

  test('has the transitions without an event first', () => {
    const machine = createMachine({
      initial: 'a',
      states: { a: { on: { go: 'b' }, always: { guard: 'isOver', target: 'b' } }, b: {} },
    })
    expect(toStateTable(machine)).toContain('| `[isOver]` → `b`<br>`go` → `b` |')
  })

  test('has no row for a machine that does nothing as a whole', () => {
    const machine = createMachine({ initial: 'a', states: { a: {} } })
    expect(toStateTable(machine)).toBe(
      '| state | description | leaves when |\n| --- | --- | --- |\n| `a` |  |  |\n',
    )
  })
})
