/** Each post is handed out once, as long as it is neither in the journal nor refused. */
import { memoryStore, type QueuedSignal, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { SignalQueue } from '../../src/runtime/run/signal-queue.ts'
import { firstLease } from '../../src/runtime/journal/store.ts'
import { appends, started } from '../support/journal-entries.ts'
import { listing } from '../support/listing.ts'

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
  queue.drop(post as QueuedSignal, firstLease('a'))
  await expect.poll(async () => (await store.list('signals', { runIds: ['a'] })).items).toEqual([])
})

/** A queue on a store whose first look is slow: it has read, and waits for `gate` with what it has found. */
function slowAtFirst(store: Store) {
  const gate = Promise.withResolvers<void>()
  let looks = 0
  const slow = {
    ...store,
    list: listing(store, 'signals', async (read) => {
      const posts = await read()
      if (++looks === 1) await gate.promise
      return posts
    }),
  }
  return { queue: new SignalQueue(slow, () => undefined), gate }
}

test('a look that began before a post was in the journal does not bring it again, however late it ends', async () => {
  const { store } = await box()
  const { queue, gate } = slowAtFirst(store)
  await store.enqueueSignal('a', cancel)
  const early = queue.fetch(['a'])
  const [post] = await queue.fetch(['a'])
  await store.append([{ runId: 'a', lease: firstLease('a'), queued: (post as QueuedSignal).id }]) // as the entry of the journal does
  expect(await queue.fetch(['a'])).toEqual([])
  gate.resolve()
  expect(await early).toEqual([])
  // A signal of its own is handed out.
  await store.enqueueSignal('a', cancel)
  expect(await queue.fetch(['a'])).toHaveLength(1)
})

test('a look that began before a run has left brings nothing of what the run had in hand, and the next look does', async () => {
  const { store } = await box()
  const { queue, gate } = slowAtFirst(store)
  await store.enqueueSignal('a', cancel)
  await store.enqueueSignal('a', cancel)
  const early = queue.fetch(['a'])
  const [first, second] = await queue.fetch(['a'])
  await store.append([{ runId: 'a', lease: firstLease('a'), queued: (first as QueuedSignal).id }]) // as the entry of the journal does
  queue.forget('a')
  gate.resolve()
  expect(await early).toEqual([])
  expect(await queue.fetch(['a'])).toEqual([second])
})

test('a post that the store has told of by itself is not handed out', async () => {
  const { store } = await box()
  const { queue, gate } = slowAtFirst(store)
  await store.enqueueSignal('a', cancel)
  const early = queue.fetch(['a'])
  queue.took((await store.list('signals', { runIds: ['a'] })).items)
  gate.resolve()
  expect(await early).toEqual([])
})

test('a look that began before a post came does not let the next one hand it out again', async () => {
  const { store } = await box()
  const { queue, gate } = slowAtFirst(store)
  const early = queue.fetch(['a'])
  await store.enqueueSignal('a', cancel)
  expect(await queue.fetch(['a'])).toHaveLength(1)
  gate.resolve()
  expect(await early).toEqual([])
  expect(await queue.fetch(['a'])).toEqual([])
})
