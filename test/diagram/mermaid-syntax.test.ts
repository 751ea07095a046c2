import { createMachine } from 'xstate'
import { describe, expect, test } from 'vitest'
import { statesOf } from '../../src/diagram/arrows.ts'
import { MermaidIds, safeText } from '../../src/diagram/mermaid-syntax.ts'

describe('safeText', () => {
  test.each([
    ['plain [text] / a, b', 'plain [text] / a, b'],
    ['a:b;c', 'a#58;b#59;c'],
    ['#x "y" <z>', '#35;x #34;y#34; #60;z#62;'],
    [' two\n  lines ', 'two lines'],
    ['100% but %%', '100% but #37;%'],
    ['change direction lr', 'change directio#110; lr'],
    ['change DIRECTION', 'change DIRECTIO#78;'],
    ['directions', 'directions'],
  ])('%j is %j', (raw, expected) => {
    expect(safeText(raw)).toBe(expected)
  })
})

describe('MermaidIds', () => {
  interface State {
    initial?: string
    states?: Record<string, State>
  }
  const idsOf = (states: Record<string, State>) => {
    const { root } = createMachine({ id: 'm', initial: Object.keys(states)[0], states })
    const ids = new MermaidIds(root)
    return statesOf(root)
      .slice(1)
      .map((state) => ids.idOf(state))
  }

  test('are keys where these are unique, paths where not', () => {
    const inner = { initial: 'x', states: { x: {} } }
    expect(idsOf({ a: inner, b: inner, m: {} })).toEqual(['a', 'a_x', 'b', 'b_x', 'm'])
  })

  test('hold letters, digits and underscores only', () => {
    expect(idsOf({ 'tool-call': {}, 'a b': {}, größe: {} })).toEqual(['tool_call', 'a_b', 'größe'])
  })

  test('are never words of Mermaid', () => {
    expect(idsOf({ default: {}, State: {}, root: {}, a_start: {}, direction: {} })).toEqual([
      'default_',
      'State_',
      'root_',
      'a_start_',
      'direction_',
    ])
  })

  test('never collide', () => {
    expect(idsOf({ 'a-b': {}, 'a.b': {}, a_b: {}, note: {}, note_: {} })).toEqual([
      'a_b',
      'a_b_',
      'a_b__',
      'note_',
      'note__',
    ])
  })
})
