/** Cases about the open questions of runs in the index. */
import type { OpenQuestion, QuestionChange, QuestionFilter } from '../../runtime/journal/run-index.ts'
import { firstLease, type JournalAppend, type Lease, type Store } from '../../runtime/journal/store.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, awkward, fired, settled } from './entries.ts'
import { expectFields, expectRejects } from './expectations.ts'
import { pagesOf } from './pages.ts'
import { plans } from './plan.ts'

export function question(runId: string, call: string, more: Partial<OpenQuestion> = {}): OpenQuestion {
  return {
    runId,
    toolCallId: call,
    type: 'approval',
    agent: 'scout',
    path: 'scout',
    toolName: 'remove',
    args: { of: call },
    since: 3,
    asOf: 2,
    ...more,
  }
}

/** A change of questions alone. */
export function change(
  lease: Lease,
  opened: readonly OpenQuestion[],
  closed: QuestionChange['closed'] = [],
): JournalAppend[] {
  return [{ runId: lease.runId, lease, questions: { opened, closed } }]
}

async function asked(store: Store, filter: QuestionFilter = {}): Promise<string[]> {
  return (await store.list('questions', filter)).items.map(
    ({ runId, toolCallId }) => `${runId} ${toolCallId}`,
  )
}

export const questionPlans = plans('open questions', {
  async 'one comes with an entry, or by itself, and is listed with its run'({ store, reopen, begin }) {
    const [a, b] = [await begin('a'), await begin('b')]
    const [one, two] = [question('a', 'one', { payload: { why: [null] } }), question('b', 'two')]
    await store.append([...appends('a', [fired(1)], a), ...change(a, [one])])
    expectEqual(await store.append(change(b, [two])), undefined, 'the report')
    const again = await reopen()
    expectEqual(await again.list('questions', {}), { items: [one, two] }, 'the open questions')
    const [ofA, ofB] = (await again.list('runs', {})).items
    expectFields(ofA, { runId: 'a', entries: 2, awaiting: [one] }, 'the first summary')
    expectFields(ofB, { runId: 'b', entries: 1, updatedAt: 0, awaiting: [two] }, 'the second summary')
  },

  async 'one is removed with an entry, by itself, and all of a run with its end'({ store, reopen, begin }) {
    const [a, b] = [await begin('a'), await begin('b')]
    await store.append(change(a, [question('a', '1'), question('a', '2'), question('a', '3')]))
    await store.append(change(b, [question('b', '1')]))
    const answered = { runId: 'a', lease: a, entry: fired(1), questions: { opened: [], closed: ['2'] } }
    await store.append([answered])
    expectEqual(await asked(store), ['a 1', 'a 3', 'b 1'], 'the questions after the entry')
    await store.append(change(a, [], ['3', 'unknown']))
    expectEqual(await asked(store), ['a 1', 'b 1'], 'the questions after the change')
    await store.append(appends('a', [settled(2)], a))
    expectEqual(await asked(await reopen()), ['b 1'], 'the questions after the end of a run')
  },

  async 'a run is suspended while it has the entries with which it was suspended'({ store, reopen, begin }) {
    const [a, b] = [await begin('a'), await begin('b')]
    const statuses = async (of: Store): Promise<string[]> =>
      (await of.list('runs', {})).items.map(({ status }) => status)
    const suspended = { opened: [question('a', 'one')], closed: [], suspendedAt: 2 }
    await store.append([...appends('a', [fired(1)], a), { runId: 'a', lease: a, questions: suspended }])
    await store.append(change(b, [question('b', 'two')]))
    const again = await reopen()
    const idsOf = async (status: 'running' | 'suspended'): Promise<string[]> =>
      (await again.list('runs', { status })).items.map(({ runId }) => runId)
    expectEqual(await statuses(again), ['suspended', 'running'], 'the statuses')
    expectEqual(await idsOf('suspended'), ['a'], 'the suspended runs')
    expectEqual(await idsOf('running'), ['b'], 'the running runs')
    expectEqual((await again.list('runs', {})).items[0]?.isPassivated, undefined, 'whether it is passivated')
    await again.append(change(a, [question('a', 'three')]))
    expectEqual(await idsOf('suspended'), ['a'], 'the suspended runs after another question')
    await again.append(appends('a', [fired(2)], a))
    expectEqual(await idsOf('running'), ['a', 'b'], 'the running runs after another entry')
    await again.append([{ runId: 'a', lease: a, questions: { opened: [], closed: [], suspendedAt: 3 } }])
    expectEqual(await statuses(again), ['suspended', 'running'], 'the statuses after another suspension')
    await again.append(appends('a', [settled(3)], a))
    expectEqual(await statuses(again), ['settled', 'running'], 'the statuses after the end')
  },

  async 'the cursor of another list is refused'({ store, begin }) {
    const [a] = [await begin('a'), await begin('b')]
    const runs = await store.list('runs', { limit: 1 })
    await store.append(change(a, [question('a', '1'), question('a', '2')]))
    const questions = await store.list('questions', { limit: 1 })
    await expectRejects(
      'INVALID_CONFIGURATION',
      store.list('runs', { before: questions.next ?? '' }),
      'a list of runs',
    )
    await expectRejects(
      'INVALID_CONFIGURATION',
      store.list('questions', { before: runs.next ?? '' }),
      'a list of questions',
    )
  },

  async 'one that is written again keeps its place; all others may be removed'({ store, begin }) {
    const a = await begin('a')
    await store.append(change(a, [question('a', '1'), question('a', '2'), question('a', '3')]))
    const again = question('a', '1', { type: 'suspension', since: 8 })
    await store.append(change(a, [question('a', '2'), again], 'others'))
    expectEqual((await store.list('questions', {})).items, [again, question('a', '2')], 'the open questions')
    await store.append(change(a, [], 'others'))
    expectEqual(await asked(store), [], 'the open questions at last')
  },

  async 'a former owner changes nothing, and a run that has ended has none'({ store, begin }) {
    const old = await begin('a')
    const newest = await store.claim('a', 'other', 1_000, 2_000)
    expectEqual(await store.append(change(old, [question('a', '1')])), { lost: ['a'] }, 'the report')
    expectEqual(await asked(store), [], 'the open questions')
    const lease: Lease = newest ?? firstLease('a')
    await store.append(appends('a', [settled(1)], lease))
    await store.append(change(lease, [question('a', '1')]))
    expectEqual(await asked(store), [], 'the open questions after the end')
    const ghost = change(firstLease('ghost'), [question('ghost', '1')])
    expectEqual(await store.append(ghost), { lost: ['ghost'] }, 'the report of an unknown run')
  },

  async 'an accepted answer comes before a change'({ store, begin }) {
    const a = await begin('a')
    const approve = { type: 'approve', toolCallId: '1' } as const
    await store.enqueueSignal('a', approve, { key: 'k', entries: 1 })
    const report = await store.append(change(a, [question('a', '1')]))
    expectEqual(report?.answered?.length, 1, 'the number of answers in the report')
    expectEqual(await asked(store), [], 'the open questions')
  },

  async 'they are filtered by run, type, agent, resource, thread and conversation'({ store, begin }) {
    const a = await begin('a', 0, { resourceId: 'ann', threadId: 't', conversationId: 'x' })
    const b = await begin('b', 0, { resourceId: 'bob', threadId: 't' })
    const other = question('a', '2', { agent: 'lead', type: 'suspension' })
    await store.append(change(a, [question('a', '1'), other]))
    await store.append(change(b, [question('b', '1', { type: 'interruption' })]))
    const listed: [QuestionFilter, string[]][] = [
      [{ runId: 'a' }, ['a 1', 'a 2']],
      [{ type: 'suspension' }, ['a 2']],
      [{ agent: 'scout' }, ['a 1', 'b 1']],
      [{ resourceId: 'ann' }, ['a 1', 'a 2']],
      [{ threadId: 't', agent: 'scout', order: 'newest' }, ['b 1', 'a 1']],
      [{ conversationId: 'x', type: 'approval' }, ['a 1']],
      [{ runId: 'nothing' }, []],
    ]
    for (const [filter, expected] of listed) {
      expectEqual(await asked(store, filter), expected, `the questions for ${JSON.stringify(filter)}`)
    }
  },

  async 'they come in pages, in either order'({ store, begin }) {
    const [a, b] = [await begin('a'), await begin('b')]
    await store.append(change(a, [question('a', '1'), question('a', '2')]))
    await store.append(change(b, [question('b', '1')]))
    await store.append(change(a, [question('a', '3')]))
    const pages = (order: 'oldest' | 'newest') =>
      pagesOf(
        (page) => store.list('questions', { limit: 2, order, ...page }),
        ({ runId, toolCallId }) => runId + toolCallId,
      )
    expectEqual(
      await pages('oldest'),
      [
        ['a1', 'a2'],
        ['b1', 'a3'],
      ],
      'the pages of the oldest',
    )
    expectEqual(
      await pages('newest'),
      [
        ['a3', 'b1'],
        ['a2', 'a1'],
      ],
      'the pages of the newest',
    )
  },

  async 'one may hold any text'({ store, reopen, begin }) {
    const facts = { resourceId: awkward, threadId: awkward, conversationId: awkward }
    const lease = await begin(awkward, 0, facts)
    const asking = question(awkward, awkward, { args: [awkward], toolName: awkward })
    await store.append(change(lease, [asking]))
    const again = await reopen()
    const { items } = await again.list('questions', { runId: awkward, ...facts })
    expectEqual(items, [asking], 'the open questions')
  },
})
