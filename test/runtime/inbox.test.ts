/** Each post is handed out once, as long as it is neither in the journal nor refused. */
import { memoryStore, type Post } from 'troupe'
import { expect, test } from 'vitest'
import { Inbox } from '../../src/runtime/inbox.ts'
import { firstLease } from '../../src/runtime/store.ts'
import { appends, started } from '../support/journal-entries.ts'

const cancel = { type: 'cancel', reason: 'enough' } as const

async function box() {
  const store = memoryStore()
  await store.append(appends('a', [started('a')], firstLease('a')))
  return { store, inbox: new Inbox(store, () => undefined) }
}

test('a post is handed out once, and again after it was put back or its run has left', async () => {
  const { store, inbox } = await box()
  await store.post('a', cancel)
  const [post] = await inbox.fetch(['a'])
  expect(post).toMatchObject({ runId: 'a', signal: cancel })
  expect(await inbox.fetch(['a'])).toEqual([])
  inbox.putBack(post as Post)
  expect(await inbox.fetch(['a'])).toEqual([post])
  inbox.forget('a')
  expect(await inbox.fetch(['a'])).toEqual([post])
  inbox.refuse(post as Post)
  await expect.poll(() => store.posts(['a'])).toEqual([])
})

test('a look that began before a post came does not let the next one hand it out again', async () => {
  const { store } = await box()
  const gate = Promise.withResolvers<void>()
  let looks = 0
  const slow = {
    ...store,
    posts: async (runIds: readonly string[]) => {
      const posts = await store.posts(runIds)
      if (++looks === 1) await gate.promise
      return posts
    },
  }
  const inbox = new Inbox(slow, () => undefined)
  const early = inbox.fetch(['a'])
  await store.post('a', cancel)
  expect(await inbox.fetch(['a'])).toHaveLength(1)
  gate.resolve()
  expect(await early).toEqual([])
  expect(await inbox.fetch(['a'])).toEqual([])
})
