/** Cases about threads and their messages. */
import type { ThreadFilter, ThreadMessage } from '../../runtime/journal/memory-storage.ts'
import { expectEqual } from '../contract/check.ts'
import { awkward, message } from './entries.ts'
import { memoryOf, plans } from './plan.ts'

export const threadPlans = plans(
  'threads',
  {
    async 'messages come back oldest first, all or the last ones'({ store, reopen }) {
      const [one, two, three] = [
        message('1', 'one', 10),
        message('2', awkward, 20),
        message('3', 'three', 30),
      ]
      await memoryOf(store).save('t', [one, two])
      await memoryOf(store).save('t', [three])
      const memory = memoryOf(await reopen())
      expectEqual(await memory.messages('t', {}), [one, two, three], 'all messages')
      expectEqual(await memory.messages('t', { last: 2 }), [two, three], 'the last two')
      expectEqual(await memory.messages('t', { last: 9 }), [one, two, three], 'the last nine of three')
      expectEqual(await memory.messages('t', { last: 0 }), [], 'the last none')
      expectEqual(await memory.messages('unknown', {}), [], 'the messages of an unknown thread')
      expectEqual(
        (await memory.threads({ threadId: 't' }))[0],
        { id: 't', createdAt: 20, updatedAt: 30 },
        'the thread',
      )
      expectEqual((await memory.threads({ threadId: 'unknown' }))[0], undefined, 'an unknown thread')
    },

    async 'saving a message again replaces it in its place'({ store }) {
      await memoryOf(store).save('t', [message('1', 'one', 10), message('2', 'two', 20)])
      const better: ThreadMessage = {
        ...message('1', 'better', 15),
        role: 'assistant',
        agent: 'x',
        internal: 'notice',
      }
      await memoryOf(store).save('t', [better])
      expectEqual(await memoryOf(store).messages('t', {}), [better, message('2', 'two', 20)], 'the messages')
      expectEqual(
        (await memoryOf(store).threads({ threadId: 't' }))[0],
        { id: 't', createdAt: 20, updatedAt: 20 },
        'the thread',
      )
    },

    async 'of two messages of one id in one save the last stays, in the place of the first'({ store }) {
      const [first, second] = [message('1', 'first', 1), message('1', 'second', 2)]
      await memoryOf(store).save('t', [first, message('2', 'two', 1), second])
      expectEqual(await memoryOf(store).messages('t', {}), [second, message('2', 'two', 1)], 'the messages')
    },

    async 'a message id is unique in its thread only'({ store }) {
      await memoryOf(store).save('t', [message('1', 'here', 1)])
      await memoryOf(store).save('u', [message('1', 'there', 2)])
      expectEqual(await memoryOf(store).messages('t', {}), [message('1', 'here', 1)], 'the messages of one')
      expectEqual(
        await memoryOf(store).messages('u', {}),
        [message('1', 'there', 2)],
        'the messages of the other',
      )
    },

    async 'threads are listed oldest first, all or of the resource that they began with'({ store, reopen }) {
      await memoryOf(store).save('z', [message('1', 'x', 1)], 'ann')
      await memoryOf(store).save('b', [], 'bob')
      await memoryOf(store).save('a', [message('1', 'x', 3)], 'ann')
      await memoryOf(store).save('z', [message('2', 'x', 4)], 'ann')
      await memoryOf(store).save('n', [message('1', 'x', 5)], '')
      const memory = memoryOf(await reopen())
      const z = { id: 'z', resourceId: 'ann', createdAt: 1, updatedAt: 4 }
      const b = { id: 'b', resourceId: 'bob', createdAt: 0, updatedAt: 0 }
      const a = { id: 'a', resourceId: 'ann', createdAt: 3, updatedAt: 3 }
      const n = { id: 'n', createdAt: 5, updatedAt: 5 }
      expectEqual(await memory.threads({}), [z, b, a, n], 'all threads')
      expectEqual(await memory.threads({ resourceId: 'ann' }), [z, a], 'the threads of a resource')
      expectEqual(await memory.threads({ resourceId: 'nobody' }), [], 'the threads of an unknown resource')
    },

    async 'threads are listed by the conversation of any of their messages'({ store, reopen }) {
      const said = (id: string, conversationId: string) => ({ ...message(id, 'x', 1), conversationId })
      await memoryOf(store).save('a', [said('1', awkward), message('2', 'x', 1)], 'ann')
      await memoryOf(store).save('b', [said('1', 'other')], 'ann')
      await memoryOf(store).save('c', [message('1', 'x', 1), said('2', awkward), said('3', awkward)])
      const memory = memoryOf(await reopen())
      const listed: [ThreadFilter, string[]][] = [
        [{ conversationId: awkward }, ['a', 'c']],
        [{ conversationId: awkward, resourceId: 'ann' }, ['a']],
        [{ conversationId: 'nothing' }, []],
      ]
      for (const [filter, expected] of listed) {
        const ids = (await memory.threads(filter)).map(({ id }) => id)
        expectEqual(ids, expected, `the threads for ${JSON.stringify(filter)}`)
      }
      expectEqual(await memory.messages('b', {}), [said('1', 'other')], 'the messages')
    },

    async 'a deleted thread is gone with its messages, and may begin anew'({ store, reopen }) {
      await memoryOf(store).save('t', [message('1', 'old', 1)], 'ann')
      await memoryOf(store).save('u', [message('1', 'other', 2)], 'ann')
      await memoryOf(store).remove({ threadId: 't' })
      await memoryOf(store).remove({ threadId: 'unknown' })
      expectEqual((await memoryOf(store).threads({ threadId: 't' }))[0], undefined, 'the deleted thread')
      expectEqual(await memoryOf(store).messages('t', {}), [], 'its messages')
      await memoryOf(store).save('t', [message('2', 'new', 3)])
      const memory = memoryOf(await reopen())
      expectEqual(await memory.messages('t', {}), [message('2', 'new', 3)], 'the messages of the new thread')
      const ids = (await memory.threads({})).map(({ id }) => id)
      expectEqual(ids, ['u', 't'], 'the threads')
    },

    async 'working memory is one text a resource'({ store, reopen }) {
      expectEqual(await memoryOf(store).workingMemory(awkward), undefined, 'the working memory at first')
      await memoryOf(store).workingMemory(awkward, 'draft')
      await memoryOf(store).workingMemory(awkward, awkward)
      await memoryOf(store).workingMemory('other', '')
      const memory = memoryOf(await reopen())
      expectEqual(await memory.workingMemory(awkward), awkward, 'the working memory')
      expectEqual(await memory.workingMemory('other'), '', 'an empty working memory')
    },

    async 'a thread may have any name'({ store, reopen }) {
      await memoryOf(store).save(awkward, [message(awkward, awkward, 1)], awkward)
      const memory = memoryOf(await reopen())
      expectEqual(
        await memory.threads({ resourceId: awkward }),
        [{ id: awkward, resourceId: awkward, createdAt: 1, updatedAt: 1 }],
        'the threads',
      )
      expectEqual(await memory.messages(awkward, {}), [message(awkward, awkward, 1)], 'the messages')
    },
  },
  'memory',
)
