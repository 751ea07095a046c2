/** Getters that all objects share are own properties of each. */
import { expect, test } from 'vitest'
import { ownGetters, withSignal } from '../../../src/actors/values/own-getters.ts'

const withWord = ownGetters<{ word: string }, { readonly word: string; readonly size: number }>({
  word: ({ word }) => word,
  size: ({ word }) => word.length,
})

test('a getter reads its source when it is asked', () => {
  const source = { word: 'one' }
  const made = withWord({ id: 1 }, source)
  source.word = 'three'
  expect({ word: made.word, size: made.size, id: made.id }).toEqual({ word: 'three', size: 5, id: 1 })
})

test('the properties are listed, spread and inherited, and nothing else is seen of the source', () => {
  const made = withWord({ id: 1 }, { word: 'two' })
  expect(Object.keys(made)).toEqual(['id', 'word', 'size'])
  expect({ ...made }).toEqual({ id: 1, word: 'two', size: 3 })
  expect(JSON.stringify(made)).toBe('{"id":1,"word":"two","size":3}')
  expect((Object.create(made) as typeof made).size).toBe(3)
  expect(new Proxy(made, {}).word).toBe('two')
  expect(Object.getOwnPropertySymbols({ ...made })).toEqual([])
})

test('behind a proxy that makes proxies of all objects, a getter reads its source itself', () => {
  class Secret {
    readonly #word = 'private'
    get word(): string {
      return this.#word
    }
  }
  const made = reactive(withWord({}, new Secret()))
  expect({ word: made.word, size: made.size }).toEqual({ word: 'private', size: 7 })
})

/** As the stores of views make them. */
function reactive<Value extends object>(value: Value): Value {
  return new Proxy(value, {
    get(target, name, receiver) {
      const read: unknown = Reflect.get(target, name, receiver)
      return typeof read === 'object' && read !== null ? reactive(read) : read
    },
  })
}

test('the properties may be defined anew, as those of a literal, and not assigned', () => {
  const made = withWord({}, { word: 'two' })
  expect(() => Object.assign(made, { word: 'three' })).toThrow(TypeError)
  Object.defineProperty(made, 'word', { value: 'three' })
  expect(made.word).toBe('three')
})

test('objects of different sources have their own values', () => {
  const [one, other] = [withWord({}, { word: 'a' }), withWord({}, { word: 'bb' })]
  expect([one.size, other.size]).toEqual([1, 2])
})

test('a signal is made at its first use', () => {
  let made = 0
  const performed = {
    get signal() {
      made++
      return AbortSignal.abort()
    },
  }
  const options = withSignal({ idempotencyKey: 'key' }, performed)
  expect(made).toBe(0)
  expect(options.signal.aborted).toBe(true)
  expect(made).toBe(1)
})
