/** A slot map does what a map does. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SlotMap } from '../../../src/actors/values/slot-map.ts'

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('set' as const), key: keys, value: fc.record({ is: fc.integer() }) }),
    fc.record({ type: fc.constant('delete' as const), key: keys }),
  ),
)

test('a slot map is a map', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [slots, map] = [new SlotMap<object>(), new Map<string, object>()]
      for (const step of all) {
        if (step.type === 'set') {
          slots.set(step.key, step.value)
          map.set(step.key, step.value)
        } else expect(slots.delete(step.key)).toBe(map.delete(step.key))
        expect([[...slots.keys()], [...slots.values()], slots.size]).toEqual([
          [...map.keys()],
          [...map.values()],
          map.size,
        ])
        for (const key of 'abcde')
          expect([slots.get(key), slots.has(key)]).toEqual([map.get(key), map.has(key)])
      }
    }),
  )
})

test('values that go while they are listed are not given, and those that come are', () => {
  const slots = new SlotMap<{ readonly name: string }>()
  for (const name of ['a', 'b', 'c']) slots.set(name, { name })
  const seen: string[] = []
  for (const { name } of slots.values()) {
    seen.push(name)
    if (name === 'a') {
      slots.delete('b')
      slots.set('d', { name: 'd' })
    }
  }
  expect(seen).toEqual(['a', 'c', 'd'])
})
