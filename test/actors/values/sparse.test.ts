/** Sparse maps and sets do what maps and sets do. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SparseMap, SparseSet } from '../../../src/actors/values/sparse.ts'

const keys = fc.integer({ min: 0, max: 4 })
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constant('set' as const), key: keys, value: fc.integer() }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), key: keys }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const) }) },
  ),
)

test('a sparse map is a map', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [sparse, map] = [new SparseMap<number, number>(), new Map<number, number>()]
      for (const step of all) {
        if (step.type === 'set') {
          sparse.set(step.key, step.value)
          map.set(step.key, step.value)
        } else if (step.type === 'delete') expect(sparse.delete(step.key)).toBe(map.delete(step.key))
        else {
          sparse.clear()
          map.clear()
        }
        expect([...sparse]).toEqual([...map])
        expect([[...sparse.keys()], [...sparse.values()], sparse.size]).toEqual([
          [...map.keys()],
          [...map.values()],
          map.size,
        ])
        for (let key = 0; key < 5; key++)
          expect([sparse.get(key), sparse.has(key)]).toEqual([map.get(key), map.has(key)])
      }
    }),
  )
})

test('a sparse set is a set', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [sparse, set] = [new SparseSet<number>(), new Set<number>()]
      for (const step of all) {
        if (step.type === 'set') {
          sparse.add(step.key)
          set.add(step.key)
        } else if (step.type === 'delete') expect(sparse.delete(step.key)).toBe(set.delete(step.key))
        else {
          sparse.clear()
          set.clear()
        }
        expect([[...sparse], sparse.size]).toEqual([[...set], set.size])
        for (let key = 0; key < 5; key++) expect(sparse.has(key)).toBe(set.has(key))
      }
    }),
  )
})

test('a reader of one entry sees that entry alone, whatever happens to the map meanwhile', () => {
  const sparse = new SparseMap<string, number>()
  sparse.set('one', 1)
  const seen: unknown[] = []
  for (const [key, value] of sparse) {
    sparse.delete(key)
    sparse.set('two', 2)
    sparse.set('three', 3)
    seen.push([key, value])
  }
  for (const key of sparse.keys()) {
    seen.push(key)
    sparse.delete(key)
  }
  expect(seen).toEqual([['one', 1], 'two', 'three'])
  expect(sparse.size).toBe(0)
})
