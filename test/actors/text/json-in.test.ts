/** The JSON of a reply is found alone, behind thoughts, in a block of code and among words, and nothing else counts as it. Behaviour 90. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonIn, theOneOf } from '../../../src/actors/text/json-in.ts'
import { scanJson } from '../../../src/actors/text/json-scanner.ts'

test.each([
  ['alone', '{"a":1}', [{ a: 1 }]],
  ['a plain value alone', ' 12 ', [12]],
  ['behind thoughts with JSON', '<think>\nA {city} {"a":2}\n</think>\n\n{"a":1}', [{ a: 1 }]],
  ['behind thoughts that only end', 'Perhaps {"a":2}.</think>{"a":1}', [{ a: 1 }]],
  ['behind several thoughts', '<think>x</think>So:<think>{"a":3}</think>\n{"a":1}', [{ a: 1 }]],
  ['in a block of code', '```json\n{"a":1}\n```', [{ a: 1 }]],
  ['in a block with words around it', 'Here it is:\n\n```\n{"a":1}\n```\nAnything else?', [{ a: 1 }]],
  ['an empty object in a block', '```json\n{}\n```', [{}]],
  ['among words in brackets', 'The set {x} [see note] is {"a":1}.', [{ a: 1 }]],
  ['behind words with an odd quote', 'I begin with {" and then {"a":1}', [{ a: 1 }]],
  ['beside a number in brackets', 'As [1] says: {"a":1}', [{ a: 1 }, [1]]],
  ['beside an empty object', 'f() {} gives {"a":1}', [{ a: 1 }]],
  ['twice the same', '{"a":1} and again {"a": 1}', [{ a: 1 }]],
  ['a tag within a text', '{"a":"</think>"}', [{ a: '</think>' }]],
  ['nothing: words', 'It is cold.', []],
  ['nothing: thoughts without an end', '<think>{"a":1}', []],
  ['nothing: a part of a broken object', '{"b":{"a":1}, oops}', []],
  ['nothing: a part of an object without an end', '{"b":{"a":1},', []],
  ['nothing: a part of an object with a comma too many', '{"b":{"a":1},}', []],
  ['nothing: a part of a broken list', '[{"a":1}, and so on]', []],
])('%s', (_, text, values) => {
  expect(jsonIn(text)).toEqual(values)
})

test('the one value that fits counts; where two fit, the model is asked to decide', () => {
  const fits = { ok: true, value: 1 } as const
  const not = { ok: false, problem: 'a: wrong' } as const
  expect(theOneOf([not, fits])).toBe(fits)
  expect(theOneOf([not])).toBe(not)
  expect(theOneOf([])).toEqual({ ok: false, problem: 'it is not JSON' })
  expect(theOneOf([fits, fits])).toMatchObject({
    ok: false,
    problem: expect.stringContaining('2 JSON values'),
  })
})

test('at most sixteen values are checked, the longest of them', () => {
  const many = Array.from({ length: 100 }, (_, index) => `{"a":"${'x'.repeat(index)}"}`)
  expect(jsonIn(many.join(' '))).toHaveLength(16)
  expect(jsonIn(many.join(' '))[0]).toEqual({ a: 'x'.repeat(99) })
})

const container = fc
  .oneof(
    fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
    fc.array(fc.jsonValue(), { minLength: 1 }),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const words = fc.stringMatching(/^[^{}[\]"<]*$/)

test('any JSON is found behind any thoughts and between any words', () => {
  const thoughts = fc.string({ unit: 'binary' }).filter((text) => !text.includes('</think>'))
  const spaces = fc.constantFrom(undefined, 2, '\t')
  fc.assert(
    fc.property(container, thoughts, words, words, spaces, (value, thought, before, behind, space) => {
      const json = JSON.stringify(value, undefined, space)
      fc.pre(!json.includes('think>'))
      expect(jsonIn(`<think>${thought}</think>${before}${json}${behind}`)).toEqual([value])
    }),
  )
})

test('the scanner and JSON.parse agree on what is JSON', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    'u0041',
    '1',
    '-',
    '.5',
    'e3',
    '0',
    'true',
    'null',
    ' ',
    '\n',
    'a',
  )
  fc.assert(
    fc.property(fc.constantFrom('{', '['), fc.array(piece, { maxLength: 12 }), (first, pieces) => {
      const text = first + pieces.join('')
      const { type, next } = scanJson(text, 0)
      if (type === 'value') expect(JSON.parse(text.slice(0, next))).toBeTypeOf('object')
      else expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
      expect(next).toBeGreaterThan(0)
    }),
    { numRuns: 2000 },
  )
})
