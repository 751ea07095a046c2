import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyedList } from '../../src/view/lists/keyed-list.ts'

interface Item {
  readonly id: string
  readonly value: number
}

const ids = Array.from({ length: 91 }, (_, id) => String(id))

/** A change of one of the lists that were made so far, so that lists go different ways from one past. */
const change = fc.record({
  of: fc.nat({ max: 1_000 }),
  id: fc.constantFrom(...ids),
  value: fc.nat({ max: 9 }),
})

test('a list is an ordered map whose every version stays as it is', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 150, size: 'max' }), (changes) => {
      const versions = [{ list: KeyedList.of<Item>(), model: new Map<string, Item>() }]
      for (const { of, id, value } of changes) {
        // Mostly the newest one, as in the fold of a run.
        const from = versions[of % 5 === 0 ? of % versions.length : versions.length - 1] ?? versions[0]
        if (from === undefined) throw new Error('There is always a first version.')
        const item = { id, value }
        versions.push({ list: from.list.with(item), model: new Map(from.model).set(id, item) })
      }
      for (const { list, model } of versions) {
        expect([...list]).toEqual([...model.values()])
        expect(list).toHaveLength(model.size)
        const differing = ids.filter((id) => list.get(id) !== model.get(id))
        expect(differing).toEqual([])
        expect(list.at(-1)).toBe([...model.values()].at(-1))
      }
    }),
    { numRuns: 30 },
  )
})

test('a long list has each of its items, by position and by id', () => {
  const items = Array.from({ length: 40_000 }, (_, value) => ({ id: `item ${value}`, value }))
  const list = KeyedList.of(...items)
  expect(list.toArray()).toEqual(items)
  expect([
    list.at(0),
    list.at(1_023),
    list.at(32_768),
    list.at(-1),
    list.at(40_000),
    list.at(-40_001),
  ]).toEqual([items[0], items[1_023], items[32_768], items[39_999], undefined, undefined])
  expect(list.get('item 33000')).toBe(items[33_000])
  expect(list.get('item 40000')).toBeUndefined()
})

test('an unchanged item gives the same list, and JSON has an array', () => {
  const item = { id: 'a', value: 1 }
  const list = KeyedList.of(item, { id: 'b', value: 2 })
  expect(list.with(item)).toBe(list)
  expect(list.with({ id: 'a', value: 1 })).not.toBe(list)
  expect(JSON.stringify(list)).toBe('[{"id":"a","value":1},{"id":"b","value":2}]')
  expect(list.map(({ id }, index) => `${id}${index}`)).toEqual(['a0', 'b1'])
  expect(list.filter(({ value }) => value > 1)).toEqual([{ id: 'b', value: 2 }])
})
