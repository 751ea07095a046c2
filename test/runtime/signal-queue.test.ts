/** Each post is handed out once, as long as it is neither in the journal nor refused. */
import { memoryStore, type QueuedSignal } from 'troupe'
import { expect, test } from 'vitest'
import { SignalQueue } from '../../src/runtime/run/signal-queue.ts'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { appends, started } from '../support/journal-entries.ts'

const cancel = { type: 'cancel', reason: 'enough' } as const

async function box() {
  const store = memoryStore()
  await store.append(appends('a', [started('a')], firstLease('a')))
  return { store, queue: new SignalQueue(store, () => undefined) }
}

test('a post is handed out once, and again after it was put back or its run has left', async () => {
  const { store, queue } = await box()
  await store.enqueueSignal('a', cancel)
  const [post] = await queue.fetch(['a'])
  expect(post).toMatchObject({ runId: 'a', signal: cancel })
  expect(await queue.fetch(['a'])).toEqual([])
  queue.putBack(post as QueuedSignal)
  expect(await queue.fetch(['a'])).toEqual([post])
  queue.forget('a')
  expect(await queue.fetch(['a'])).toEqual([post])
  queue.drop(post as QueuedSignal)
  await expect.poll(() => store.queuedSignals(['a'])).toEqual([])
})

test('a look that began before a post came does not let the next one hand it out again', async () => {
  const { store } = await box()
  const gate = Promise.withResolvers<void>()
  let looks = 0
  const slow = {
    ...store,
    queuedSignals: async (runIds: readonly string[]) => {
      const posts = await store.queuedSignals(runIds)
      if (++looks === 1) await gate.promise
      return posts
    },
  }
  const queue = new SignalQueue(slow, () => undefined)
  const early = queue.fetch(['a'])
  await store.enqueueSignal('a', cancel)
  expect(await queue.fetch(['a'])).toHaveLength(1)
  gate.resolve()
  expect(await early).toEqual([])
  expect(await queue.fetch(['a'])).toEqual([])
})
