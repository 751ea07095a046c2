/** Any value becomes plain JSON of bounded size, and nothing that a value does can throw. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppendLog } from '../../../src/actors/values/append-log.ts'
import { outline } from '../../../src/actors/values/outline.ts'

class Engine {
  readonly secret = 'sk-secret'
}

class Point {
  toJSON(): object {
    return { x: 1 }
  }
}

const circular: Record<string, unknown> = { name: 'ring' }
circular['self'] = circular

const shared = { a: 1 }

const throwing = {
  get bad(): never {
    throw new Error('no')
  },
}

test.for<[string, unknown, unknown]>([
  ['plain data', { a: [1, 'b', true, null], c: { d: 2 } }, { a: [1, 'b', true, null], c: { d: 2 } }],
  ['what JSON has not', [Number.NaN, 1n, Symbol('s'), undefined], ['NaN', '1', 'Symbol(s)', null]],
  ['a field that is undefined', { a: undefined, b: 1 }, { b: 1 }],
  ['a function', { guard: function isDone() {} }, { guard: { type: 'isDone' } }],
  ['a map and a set', { map: new Map([['a', 1]]), set: new Set(['b']) }, { map: [['a', 1]], set: ['b'] }],
  ['an error', new TypeError('oops'), { name: 'TypeError', message: 'oops' }],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['bytes', new Uint8Array(3), '[Uint8Array of 3 bytes]'],
  ['an object with a class', { door: new Engine() }, { door: '[Engine]' }],
  ['an object that says how', new Point(), { x: 1 }],
  ['a ring', circular, { name: 'ring', self: '[circular]' }],
  ['what is shared', [shared, shared], [{ a: 1 }, { a: 1 }]],
  ['a getter that throws', { throwing, a: 1 }, { throwing: '[unreadable]', a: 1 }],
  ['an empty conversation', AppendLog.of(), { length: 0 }],
  ['a conversation', AppendLog.of([{ n: 1 }, { n: 2 }]), { length: 2, last: { n: 2 } }],
])('%s', ([, value, expected]) => {
  expect(outline(value)).toEqual(expected)
})

describe('too much', () => {
  test('of a text', () => {
    expect(outline('x'.repeat(1_234))).toBe(`${'x'.repeat(1_000)}… (234 more characters)`)
  })

  test('of a list', () => {
    const list = Array.from({ length: 100 }, (_, i) => i)
    expect(outline(list)).toEqual([...list.slice(0, 40), '… 60 more'])
  })

  test('of an object', () => {
    const entries = Array.from({ length: 100 }, (_, i) => [`f${i}`, i])
    expect(outline(Object.fromEntries(entries))).toEqual({
      ...Object.fromEntries(entries.slice(0, 40)),
      '…': '60 more',
    })
  })

  test('of depth and of everything', () => {
    let deep: unknown = 'bottom'
    for (let i = 0; i < 20; i++) deep = [deep]
    expect(JSON.stringify(outline(deep))).toBe(`${'['.repeat(10)}"[…]"${']'.repeat(10)}`)
    const wide = Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => [1]))
    const seen = JSON.stringify(outline(wide))
    expect(seen.match(/\[(?!…)/g)?.length).toBe(1_500)
    expect(seen).toContain('"[…]"')
  })
})

test('property: what JSON can hold, and is small, is shown as it is', () => {
  const small = fc.jsonValue({ maxDepth: 4 }).filter((value) => isSmall(value))
  fc.assert(
    fc.property(small, (value) => {
      expect(JSON.stringify(outline(value))).toBe(JSON.stringify(value))
    }),
  )
})

test('property: anything becomes JSON, and the same each time', () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withMap: true, withSet: true, withNullPrototype: true }),
      (value) => {
        const seen = outline(value)
        const text = JSON.stringify(seen ?? null)
        expect(JSON.stringify(JSON.parse(text))).toBe(text)
        expect(outline(value)).toEqual(seen)
      },
    ),
  )
})

function isSmall(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 1_000
  if (typeof value !== 'object' || value === null) return true
  const entries = Object.entries(value)
  return entries.length <= 40 && entries.every(([name, field]) => name !== 'toJSON' && isSmall(field))
}
