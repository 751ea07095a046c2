import { expect, test } from 'vitest'
import { CallAssembler } from '../../../src/actors/openai/shared/call-assembler.ts'
import { readPart } from '../../../src/actors/openai/chat/completion.ts'

type Fragment = readonly [
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: string,
]

function assemble(fragments: readonly Fragment[]): string[] {
  const assembler = new CallAssembler()
  for (const [index, id, name, args] of fragments) {
    const { calls } = readPart({ tool_calls: [{ index, id, function: { name, arguments: args } }] })
    for (const call of calls) assembler.add(call)
  }
  return assembler.finish().map(({ id, name, args }) => `${id}:${name}(${args})`)
}

test.each<[name: string, fragments: readonly Fragment[], calls: string[]]>([
  [
    'the protocol, interleaved',
    [
      [0, 'a', 'f', ''],
      [1, 'b', 'g', ''],
      [1, undefined, undefined, '{"y"'],
      [0, undefined, undefined, '{"x"'],
      [0, undefined, undefined, ':1}'],
      [1, undefined, undefined, ':2}'],
    ],
    ['a:f({"x":1})', 'b:g({"y":2})'],
  ],
  [
    'indices in another order, and not from 0',
    [
      [5, 'b', 'g', '{}'],
      [2, 'a', 'f', '{}'],
    ],
    ['a:f({})', 'b:g({})'],
  ],
  [
    'whole calls that all have index 0 (Ollama)',
    [
      [0, 'a', 'f', '{"x":1}'],
      [0, 'b', 'f', '{"x":2}'],
      [0, 'c', 'f', ''],
    ],
    ['a:f({"x":1})', 'b:f({"x":2})', 'c:f()'],
  ],
  [
    'fragments that all have index 0',
    [
      [0, 'a', 'f', '{"x"'],
      [0, undefined, undefined, ':1}'],
      [0, 'b', 'f', '{"x"'],
      [0, undefined, undefined, ':2}'],
    ],
    ['a:f({"x":1})', 'b:f({"x":2})'],
  ],
  [
    'whole calls without index (Gemini)',
    [
      [undefined, 'a', 'f', '{}'],
      [undefined, 'b', 'f', '{}'],
    ],
    ['a:f({})', 'b:f({})'],
  ],
  [
    'whole calls without index and id',
    [
      [undefined, undefined, 'f', '{"x":1}'],
      [undefined, '', 'f', '{"x":1}'],
      [undefined, undefined, 'g', ''],
    ],
    [':f({"x":1})', ':f({"x":1})', ':g()'],
  ],
  [
    'fragments without index',
    [
      [undefined, 'a', 'f', '{"x"'],
      [undefined, undefined, undefined, ':1}'],
      [undefined, 'b', 'f', ''],
      [undefined, undefined, undefined, '{}'],
    ],
    ['a:f({"x":1})', 'b:f({})'],
  ],
  [
    'whole calls that share an id',
    [
      [undefined, 'a', 'f', '{"x":1}'],
      [undefined, 'a', 'f', '{"x":2}'],
      [undefined, 'a', 'g', '{}'],
    ],
    ['a:f({"x":1})', 'a:f({"x":2})', 'a:g({})'],
  ],
  [
    'the whole arguments once more, as JSON and as its text, with and without the id',
    [
      [0, 'a', 'f', '{"x":'],
      [0, undefined, undefined, '1}'],
      [0, undefined, undefined, '{"x":1}'],
      [0, 'a', 'f', '{"x":1}'],
      [0, 'a', undefined, '"{\\"x\\":1}"'],
      [1, 'b', 'f', '{"x":1}'],
    ],
    ['a:f({"x":1})', 'b:f({"x":1})'],
  ],
  [
    'id and name with every fragment',
    [
      [0, 'a', 'f', '{"x"'],
      [0, 'a', 'f', ':{}'],
      [0, 'a', 'f', '}'],
      [0, 'a', 'f', ''],
    ],
    ['a:f({"x":{}})'],
  ],
  [
    'a new id with every fragment (vLLM)',
    [
      [0, 'a', 'f', '{"x"'],
      [0, 'b', undefined, ':1}'],
    ],
    ['a:f({"x":1})'],
  ],
  [
    'the name after the id',
    [
      [0, 'a', undefined],
      [0, undefined, 'f'],
      [0, undefined, undefined, '{}'],
    ],
    ['a:f({})'],
  ],
])('%s', (_, fragments, calls) => {
  expect(assemble(fragments)).toEqual(calls)
})

test('the arguments are told as they come, under the position that the call will have', () => {
  const told = (counted: 'calls' | 'items', ...fragments: readonly Fragment[]) => {
    const assembler = new CallAssembler(counted)
    return fragments.map(([index, id = '', name = '', args = '']) => {
      const delta = assembler.add({ index, id, name, args })
      return delta && [delta.index, delta.id, delta.name, delta.text]
    })
  }
  expect(told('calls', [1, 'b', 'g', '{"y"'], [0, 'a', 'f', '{'], [1, '', '', ':2}'])).toEqual([
    [1, 'b', 'g', '{"y"'],
    [0, 'a', 'f', '{'],
    [1, 'b', 'g', ':2}'],
  ])
  expect(told('calls', [0, 'a', 'f', '{}'], [0, 'b', 'f', '{}'])).toEqual([
    [0, 'a', 'f', '{}'],
    [1, 'b', 'f', '{}'],
  ])
  expect(told('items', [3, 'a', 'f', ''], [3, '', '', '{}'], [5, 'b', 'g', '{}'])).toEqual([
    undefined,
    [0, 'a', 'f', '{}'],
    [1, 'b', 'g', '{}'],
  ])
  // Nothing is told before the name is known; then all of it.
  expect(told('calls', [0, 'a', '', '{"x"'], [0, '', 'f', ':1'], [0, '', '', '}'])).toEqual([
    undefined,
    [0, 'a', 'f', '{"x":1'],
    [0, 'a', 'f', '}'],
  ])
})
