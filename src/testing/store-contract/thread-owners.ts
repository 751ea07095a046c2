/** Cases about the owners of threads: a thread is recalled and saved for its resource alone. */
import { expectEqual, expectThat } from '../contract/check.ts'
import { appends, fired, message, settled } from './entries.ts'
import { expectAbsent, expectFields, expectRejects } from './expectations.ts'
import { memoryOf, plans } from './plan.ts'

const another = 'THREAD_OF_ANOTHER_RESOURCE'

const [ann, ann2, bob, nobody] = [
  { runId: 'r-ann', resourceId: 'ann' },
  { runId: 'r-ann-2', resourceId: 'ann' },
  { runId: 'r-bob', resourceId: 'bob' },
  { runId: 'r-nobody' },
] as const

export const threadOwnerPlans = plans(
  'owners of threads',
  {
    async 'a thread is recalled and saved for the resource that it belongs to, and for no other'({
      store,
      reopen,
    }) {
      const [one, two] = [message('1', 'one', 1), message('2', 'two', 2)]
      await memoryOf(store).save('t', [one, two], 'ann')
      const memory = memoryOf(await reopen())
      expectEqual(await memory.messages('t', ann), [one, two], 'the messages')
      expectEqual(await memory.messages('t', { ...ann2, last: 1 }), [two], 'the last message')
      expectEqual(await memory.messages('t', { ...ann, last: 0 }), [], 'the last none')
      for (const reader of [bob, nobody, { ...bob, last: 0 }, { runId: 'r', resourceId: '' }])
        await expectRejects(another, memory.messages('t', reader), `a recall by ${JSON.stringify(reader)}`)
      await expectRejects(another, memory.save('t', [message('1', 'mine', 9)], 'bob'), 'a save for another')
      await expectRejects(another, memory.save('t', [message('1', 'mine', 9)]), 'a save without a resource')
      expectEqual(await memory.messages('t', {}), [one, two], 'the messages afterwards')
    },

    async 'of runs that begin a thread at once, those of one resource have it'({ store, reopen }) {
      const readers = Array.from({ length: 20 }, (_, index) => ({
        runId: `r${index}`,
        resourceId: index % 2 === 0 ? 'ann' : 'bob',
      }))
      const recalls = readers.map(({ resourceId, runId }) =>
        memoryOf(store)
          .messages('t', { runId, resourceId })
          .then(
            () => ({ resourceId, code: 'none' }),
            (error: unknown) => ({ resourceId, code: (error as { readonly code?: unknown }).code }),
          ),
      )
      const ended = await Promise.all(recalls)
      const winners = ended.filter(({ code }) => code === 'none')
      const owners = new Set(winners.map(({ resourceId }) => resourceId))
      expectEqual([owners.size, winners.length], [1, 10], 'the resources that have it, and their runs,')
      expectThat(
        ended.every(({ code }) => code === 'none' || code === another),
        `every other recall to reject with ${another}`,
      )
      const owner = owners.has('ann') ? 'ann' : 'bob'
      const loser = owner === 'ann' ? 'bob' : 'ann'
      const memory = memoryOf(await reopen())
      await expectRejects(another, memory.save('t', [message('1', 'x', 1)], loser), 'a save for the loser')
      await memory.save('t', [message('1', 'x', 1)], owner)
      expectFields((await memory.threads({ threadId: 't' }))[0], { resourceId: owner }, 'the thread')
    },

    async 'a claim is no thread; it holds until the last run that has it is released'({ store, reopen }) {
      expectEqual(await memoryOf(store).messages('t', ann), [], 'the first recall')
      expectEqual(await memoryOf(store).messages('t', ann), [], 'a repeated recall')
      expectEqual(await memoryOf(store).messages('t', ann2), [], 'the recall of another run')
      const memory = memoryOf(await reopen())
      expectEqual(await memory.threads({}), [], 'the threads')
      expectEqual((await memory.threads({ threadId: 't' }))[0], undefined, 'the thread')
      await memory.remove({ runId: 'r-ann' })
      await memory.remove({ runId: 'r-ann' })
      await expectRejects(another, memory.messages('t', bob), 'a recall while a run has the claim')
      await memory.remove({ runId: 'r-ann-2' })
      expectEqual(await memory.messages('t', bob), [], 'a recall after all runs were released')
      await expectRejects(another, memory.messages('t', ann), 'a recall by the former resource')
    },

    async 'a claim outlives a thread that is deleted meanwhile'({ store }) {
      await memoryOf(store).messages('t', ann)
      await memoryOf(store).save('t', [message('1', 'x', 1)], 'ann')
      await memoryOf(store).remove({ threadId: 't' })
      await expectRejects(another, memoryOf(store).messages('t', bob), 'a recall by another')
    },

    async 'the first claim decides, also one without a resource'({ store }) {
      const memory = memoryOf(store)
      expectEqual(await memory.messages('open', nobody), [], 'the first recall')
      expectEqual(await memory.messages('open', ann), [], 'the recall of a run with a resource')
      await memory.save('open', [message('1', 'x', 1)], 'ann')
      expectAbsent((await memory.threads({ threadId: 'open' }))[0], 'resourceId', 'the thread')
      expectEqual((await memory.messages('open', bob)).length, 1, 'the number of messages recalled')
      await memory.save('open', [message('2', 'y', 2)])
      await memory.messages('anns', ann)
      await expectRejects(another, memory.messages('anns', nobody), 'a recall without a resource')
      await expectRejects(another, memory.save('anns', []), 'a save without a resource')
    },

    async 'the deletion of a run releases the claims that it has made since its end'({ store, begin }) {
      const lease = await begin('r-ann')
      await store.append(appends('r-ann', [settled(1)], lease))
      await memoryOf(store).messages('t', ann)
      await expectRejects(another, memoryOf(store).messages('t', bob), 'a recall before the deletion')
      await store.delete('r-ann')
      expectEqual(await memoryOf(store).messages('t', bob), [], 'a recall after the deletion')
    },

    async 'the entry that ends a run releases its claims, and no other entry does'({ store, begin }) {
      const lease = await begin('r-ann')
      await memoryOf(store).messages('t', ann)
      await memoryOf(store).messages('u', ann)
      await store.append(appends('r-ann', [fired(1)], lease))
      await expectRejects(another, memoryOf(store).messages('t', bob), 'a recall before the end')
      const stale = { ...lease, token: 7 }
      const refused = await store.append(appends('r-ann', [settled(2)], stale))
      expectEqual(refused, { lost: ['r-ann'] }, 'the report of an end under a foreign lease')
      await expectRejects(
        another,
        memoryOf(store).messages('t', bob),
        'a recall after an end that was refused',
      )
      await store.append(appends('r-ann', [settled(2)], lease))
      expectEqual(await memoryOf(store).messages('t', bob), [], 'a recall after the end')
      expectEqual(await memoryOf(store).messages('u', bob), [], 'a recall of the other thread')
    },
  },
  'memory',
)
