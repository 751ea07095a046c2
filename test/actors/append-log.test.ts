import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AppendLog } from '../../src/actors/values/append-log.ts'

test('appending leaves the older list as it was', () => {
  const one = AppendLog.of(['a'])
  const two = one.append('b')
  const other = one.append('c')
  expect([one.toArray(), two.toArray(), other.toArray()]).toEqual([['a'], ['a', 'b'], ['a', 'c']])
  expect(two.at(-1)).toBe('b')
  expect(two.at(5)).toBeUndefined()
  expect(one.append()).toBe(one)
})

test('equal lists have equal digests, however they came about; different lists have different ones', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 20 }), fc.nat(20), fc.string(), (items, cut, other) => {
      const whole = AppendLog.of(items)
      const first = AppendLog.of(items.slice(0, cut))
      void first.digest
      const branch = first.append(other)
      const grown = first.append(...items.slice(cut))
      expect(grown.digest).toBe(whole.digest)
      expect(grown.toArray()).toEqual(items)
      expect(branch.toArray()).toEqual([...items.slice(0, cut), other])
      expect(branch.digest === whole.digest).toBe(JSON.stringify(branch) === JSON.stringify(whole))
    }),
  )
})

test('the boundary between items counts', () => {
  expect(AppendLog.of(['ab', 'c']).digest).not.toBe(AppendLog.of(['a', 'bc']).digest)
})

test('an older view has its own digest and its own sum, also where a newer one was asked first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(20), { maxLength: 10 }),
      (items, asked) => {
        const views = [AppendLog.of<string>()]
        for (const item of items) views.push((views.at(-1) as AppendLog<string>).append(item))
        const lengthOf = (text: string): number => text.length
        for (const at of asked) {
          const view = views[at % views.length] as AppendLog<string>
          expect(view.digest).toBe(AppendLog.of(view.toArray()).digest)
          expect(view.sum(lengthOf)).toBe(view.toArray().join('').length)
        }
      },
    ),
  )
})

test('an item that has no JSON fails each digest that covers it, and none before it', () => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const one = AppendLog.of<object>([{ first: true }])
  const two = one.append(cyclic)
  expect(() => two.digest).toThrow(TypeError)
  expect(() => two.digest).toThrow(TypeError)
  expect(one.digest).toBe(AppendLog.of([{ first: true }]).digest)
})
