import { describe, expect, test } from 'vitest'
import { checkMermaid } from './mermaid-grammar.ts'

const diagram = (...lines: string[]) =>
  ['stateDiagram-v2', ...lines.map((line) => `  ${line}`), ''].join('\n')

describe('checkMermaid', () => {
  test('returns where each state is', () => {
    const { parents, arrows } = checkMermaid(
      diagram('[*] --> a', 'state "A#58;" as a {', '  b', '}', 'b --> c : go [x] / y', 'c --> [*]'),
    )
    expect([...parents]).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['c', undefined],
    ])
    expect(arrows).toBe(3)
  })

  test('accepts labels of several lines, and states that are dashed or have a thick border', () => {
    const { arrows } = checkMermaid(
      diagram(
        'a --> b:::outside : go<br>[x]',
        '[*] --> c:::final : go',
        'a --> c:::final',
        'classDef outside fill:none,stroke-dasharray:4',
        'classDef final stroke-width:3px',
      ),
    )
    expect(arrows).toBe(3)
  })

  test.each([
    ['an empty line in a label', 'no such statement', ['a --> b : x<br>']],
    ['another tag in a label', 'no such statement', ['a --> b : x<b>y']],
    ['a style that is not ours', 'no such statement', ['a --> b:::inside']],
    ['a semicolon in a label', 'no such statement', ['a --> b : x; y']],
    ['a colon in a label', 'no such statement', ['a --> b : x:y']],
    ['a bare hash', 'no such statement', ['a --> b : #x']],
    ['an empty label', 'no such statement', ['a --> b : ']],
    ['a quote in a name', 'no such statement', ['state "a"b" as c']],
    ['a keyword as id', '"default" is taken', ['default --> b']],
    ['an id that Mermaid makes', '"a_start" is taken', ['a_start --> b']],
    ['a composite in its own body', 'in its own body', ['state a {', '  a --> b', '}']],
    ['a state in two composites', 'in two composites', ['state a {', '  c', '}', 'state b {', '  c', '}']],
    ['an open composite', 'Not closed: a', ['state a {']],
    ['too many braces', 'nothing to close', ['}']],
    ['a region at the top', 'outside of a composite', ['--']],
    ['wrong indentation', 'wrong indentation', ['  a --> b']],
    ['a label that turns the diagram', 'read as a direction', ['a --> b : direction lrx']],
    ['a label that turns it on the next line', 'read as a direction', ['a --> b : direction', 'tbd --> c']],
    ['a note before its state', 'a note before its state', ['note right of a : x', 'a']],
    ['an unknown arrow', 'no such statement', ['a -> b']],
  ])('refuses %s', (_what, why, lines) => {
    expect(() => checkMermaid(diagram(...lines))).toThrow(why)
  })
})
