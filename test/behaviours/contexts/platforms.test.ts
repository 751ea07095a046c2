/** Async contexts on platforms with and without storages, also where the library is loaded within a request. */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { asyncStorage, capturer, emptyContext, type Platform } from '../../../src/runtime/async-context.ts'

const storage = new AsyncLocalStorage<string>()
const later = new Promise<void>((resolve) => setTimeout(resolve, 5))

const node: Platform = { process }
/** As the edge runtime of Vercel: a class of the global scope, and no modules. */
const edge: Platform = { AsyncLocalStorage }
const browser: Platform = {}
/** A polyfill of bundlers for browsers. */
const bundled: Platform = { process: {} }

test.each([
  ['Node', node],
  ['an edge runtime', edge],
])('%s: a captured context is entered and left again, also by what goes on later', async (_, platform) => {
  const context = storage.run('ann', () => capturer(platform)())
  await storage.run('bob', async () => {
    const seen = await context.run(async () => {
      const first = storage.getStore()
      await later
      return [first, storage.getStore()]
    })
    expect(seen).toEqual(['ann', 'ann'])
    expect(storage.getStore()).toBe('bob')
    expect(() =>
      context.run(() => {
        throw new Error(storage.getStore())
      }),
    ).toThrow('ann')
    expect(storage.getStore()).toBe('bob')
  })
})

test.each([
  ['a browser', browser],
  ['a browser, bundled with a polyfill', bundled],
])('%s: nothing is captured, and every function is called', (_, platform) => {
  expect(asyncStorage(platform)).toBeUndefined()
  const context = storage.run('ann', () => capturer(platform)())
  expect(storage.run('bob', () => context.run(() => storage.getStore()))).toBe('bob')
  expect(storage.run('bob', () => emptyContext(platform).run(() => storage.getStore()))).toBe('bob')
})

test('no context is none even where the library is loaded within a request', async () => {
  const none = storage.run('the first request', () => emptyContext(node))
  await storage.run('bob', async () => {
    const seen = await none.run(async () => {
      const first = storage.getStore()
      await later
      return [first, storage.getStore()]
    })
    expect(seen).toEqual([undefined, undefined])
    expect(storage.getStore()).toBe('bob')
  })
})

test('a platform that does not let a context be emptied gives that in which the library was loaded', () => {
  class Sealed extends AsyncResource {
    readonly #kept = new AsyncResource('kept')
    override runInAsyncScope<Args extends readonly unknown[], Value>(
      act: (...args: Args) => Value,
      self: undefined,
      ...args: Args
    ): Value {
      return this.#kept.runInAsyncScope(act, self, ...args)
    }
  }
  const sealed: Platform = {
    process: { getBuiltinModule: () => ({ AsyncLocalStorage, AsyncResource: Sealed }) },
  }
  const none = storage.run('the load', () => emptyContext(sealed))
  expect(storage.run('bob', () => none.run(() => storage.getStore()))).toBe('the load')
})

test('a context without values is the empty context, and holds nothing of its caller', () => {
  const empty = emptyContext(node)
  const capture = capturer(node, empty)
  expect(empty.run(capture)).toBe(empty)
  const held = empty.run(() => storage.run('ann', capture))
  expect(held).not.toBe(empty)
  expect(held.run(() => storage.getStore())).toBe('ann')
  expect(empty.run(() => storage.run('ann', () => storage.exit(capture)))).toBe(empty)
})
