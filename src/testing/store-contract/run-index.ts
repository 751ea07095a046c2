/** Cases about the index of runs: their summaries, without a look at their journals. */
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { RunFilter } from '../../runtime/journal/run-index.ts'
import { expectEqual } from '../contract/check.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { appends, awkward, called, fired, settled, started } from './entries.ts'
import { expectFields, expectRejects } from './expectations.ts'
import { pagesOf } from './pages.ts'
import { plans } from './plan.ts'
import { released, type Store } from '../../runtime/journal/store.ts'

export const runIndexPlans = plans('the index', {
  async 'it tells of each run the facts of its journal, oldest first'({ store, reopen, begin }) {
    await begin('z', 5, { conversationId: 'talk' })
    await begin('a', 7, { agent: 'lead', forkedFrom: { runId: 'z', at: 2 } })
    await store.append([...appends('a', [fired(8), settled(9, 'failed')]), ...appends('z', [fired(6)])])
    const expected = [
      {
        runId: 'z',
        agent: 'scout',
        startedAt: 5,
        conversationId: 'talk',
        updatedAt: 6,
        duration: 1,
        entries: 2,
        usage: noUsage,
        status: 'running',
        awaiting: [],
      },
      {
        runId: 'a',
        agent: 'lead',
        startedAt: 7,
        forkedFrom: 'z',
        updatedAt: 9,
        endedAt: 9,
        duration: 2,
        entries: 3,
        usage: noUsage,
        status: 'settled',
        outcome: 'failed',
        awaiting: [],
      },
    ]
    const listed = async ({ list }: Pick<Store, 'list'>) =>
      (await list('runs', {})).items.map(({ task: _, ...run }) => run)
    expectEqual(await listed(store), expected, 'the list')
    const again = await reopen()
    expectEqual(await listed(again), expected, 'the list, from a store that was opened later,')
  },

  async 'it is filtered by status, agent and conversation, alone and together'({ store, begin }) {
    const passivated = await begin('passivated', 1, { conversationId: 'x' })
    await begin('running', 2, { agent: 'lead', conversationId: 'x' })
    await store.append(appends('done', [started('done', 3, { conversationId: 'y' }), settled(4)]))
    await store.renew([released(passivated, {})])
    const listed: [RunFilter, string[]][] = [
      [{}, ['passivated', 'running', 'done']],
      [{ status: 'running' }, ['running']],
      [{ status: 'suspended' }, ['passivated']],
      [{ status: 'settled' }, ['done']],
      [{ status: 'unfinished' }, ['passivated', 'running']],
      [{ agent: 'scout' }, ['passivated', 'done']],
      [{ conversationId: 'x' }, ['passivated', 'running']],
      [{ status: 'unfinished', agent: 'scout', conversationId: 'x' }, ['passivated']],
      [{ agent: 'nobody' }, []],
      [{ runId: 'running' }, ['running']],
      [{ runId: 'running', conversationId: 'y' }, []],
      [{ runId: 'unknown' }, []],
      [{ outcome: 'completed' }, ['done']],
      [{ outcome: 'failed' }, []],
      [{ outcome: 'completed', agent: 'lead' }, []],
      [{ changedSince: 2 }, ['running', 'done']],
      [{ changedSince: 4, outcome: 'completed' }, ['done']],
      [{ changedSince: 4.5 }, []],
      [{ changedSince: 2, status: 'unfinished', order: 'newest' }, ['running']],
      [{ startedSince: 2 }, ['running', 'done']],
      [{ startedSince: 3, changedSince: 4, status: 'settled' }, ['done']],
      [{ startedSince: 3.5 }, []],
      [{ code: 'NO' }, []],
    ]
    for (const [filter, expected] of listed) {
      const ids = (await store.list('runs', filter)).items.map(({ runId }) => runId)
      expectEqual(ids, expected, `the runs for ${JSON.stringify(filter)}`)
    }
  },

  async 'it sums the usage of model calls, up to the end of a run, which has that of the whole run'({
    store,
    reopen,
    begin,
  }) {
    const [small, large]: [Usage, Usage] = [
      { inputTokens: 3, outputTokens: 2, totalTokens: 5, cachedInputTokens: 1, cost: 0.25 },
      { inputTokens: 40, outputTokens: 0, totalTokens: 40, reasoningTokens: 7, cost: 0.5, incomplete: true },
    ]
    const both: Usage = {
      inputTokens: 43,
      outputTokens: 2,
      totalTokens: 45,
      cachedInputTokens: 1,
      reasoningTokens: 7,
      cost: 0.75,
      incomplete: true,
    }
    await begin('a')
    await store.append(appends('a', [called(1, small)]))
    expectEqual((await store.list('runs', {})).items[0]?.usage, small, 'the usage of one call')
    await store.append(appends('a', [fired(2)]))
    await store.append(appends('a', [called(3, large), called(4)]))
    expectEqual((await store.list('runs', {})).items[0]?.usage, both, 'the usage of two calls')
    await store.append(appends('b', [started('b', 1), called(2, small), called(3, large)]))
    expectEqual(
      (await store.list('runs', {})).items[1]?.usage,
      both,
      'the usage of a run that begins with calls',
    )
    await store.append(appends('a', [{ ...settled(5), usage: large }, called(6, small)]))
    await store.append(appends('a', [called(7, small)]))
    expectEqual((await store.list('runs', {})).items[0]?.usage, large, 'the usage of a settled run')
    const [ofA, ofB] = (await (await reopen()).list('runs', {})).items
    expectEqual([ofA?.usage, ofB?.usage], [large, both], 'the usages, from a store that was opened later,')
  },

  async 'a late entry after the end changes when it was updated, not how it ended'({ store, begin }) {
    await begin('a')
    await store.append(appends('a', [settled(2)]))
    await store.append(appends('a', [fired(3)]))
    const [summary] = (await store.list('runs', {})).items
    expectFields(
      summary,
      { status: 'settled', outcome: 'completed', entries: 3, updatedAt: 3 },
      'the summary',
    )
  },

  async 'it has the code of the error that ended a run, and when; what comes later changes neither'({
    store,
    reopen,
    begin,
  }) {
    const failed = (at: number, code: string): JournalEntry => ({
      ...settled(at, 'failed'),
      error: { name: 'Error', code, message: 'No.' },
    })
    await begin('a', 1)
    await store.append(appends('a', [failed(4, awkward), fired(6)]))
    await begin('b', 2)
    await store.append(appends('b', [failed(5, 'TOOL_FAILED')]))
    await store.append(appends('b', [failed(7, 'MODEL_FAILED')]))
    await begin('c', 3)
    const again = await reopen()
    const facts = (await again.list('runs', {})).items.map(({ code, endedAt, duration }) => [
      code,
      endedAt,
      duration,
    ])
    expectEqual(
      facts,
      [
        [awkward, 4, 3],
        ['TOOL_FAILED', 5, 3],
        [undefined, undefined, 0],
      ],
      'codes, ends and durations',
    )
    for (const [filter, expected] of [
      [{ code: awkward }, ['a']],
      [{ code: 'TOOL_FAILED', outcome: 'failed', agent: 'scout' }, ['b']],
      [{ code: 'MODEL_FAILED' }, []],
      [{ code: 'TOOL_FAILED', status: 'unfinished' }, []],
    ] satisfies [RunFilter, string[]][])
      expectEqual(await idsOf(again, filter), expected, `the runs for ${JSON.stringify(filter)}`)
  },

  async 'the duration of a fork leaves out the gap before its own entries'({ store, begin }) {
    await begin('a', 10, { forkedFrom: { runId: 'z', at: 2 }, uncounted: [{ at: 2, span: 5_000 }] })
    await store.append(appends('a', [fired(20), fired(5_030)]))
    const [before] = (await store.list('runs', {})).items
    expectFields(before, { startedAt: 10, updatedAt: 5_030, duration: 20 }, 'the fork')
    await store.append(appends('a', [settled(5_050), fired(9_000)]))
    const [after] = (await store.list('runs', {})).items
    expectFields(after, { updatedAt: 9_000, endedAt: 5_050, duration: 40 }, 'the fork that has ended')
  },

  async 'it is sorted by the last change, the cost and the duration, and its pages go on there'({
    store,
    reopen,
    begin,
  }) {
    const cost = (of: number): Usage => ({ inputTokens: 1, outputTokens: 0, totalTokens: 1, cost: of })
    await begin('a', 0, { resourceId: 'ann' })
    await begin('b', 1, { resourceId: 'ann' })
    await begin('c', 2, { agent: 'lead' })
    await begin('d', 3, { resourceId: 'ann' })
    await begin('e', 4)
    await store.append([
      ...appends('a', [called(5, cost(0.5)), { ...settled(30), usage: cost(0.1) }]),
      ...appends('b', [called(12, cost(0.75))]),
      ...appends('c', [{ ...settled(9.25, 'failed'), usage: cost(2.5e-7) }]),
      ...appends('d', [{ ...settled(12), usage: cost(0.75) }]),
    ])
    const sorted: [RunFilter, string][] = [
      [{ order: 'changed' }, 'adbce'],
      [{ order: 'costliest' }, 'dbace'],
      [{ order: 'longest' }, 'abdce'],
      [{ order: 'costliest', status: 'settled' }, 'dac'],
      [{ order: 'longest', status: 'unfinished' }, 'be'],
      [{ order: 'longest', resourceId: 'ann' }, 'abd'],
      [{ order: 'changed', changedSince: 9 }, 'adbc'],
      [{ order: 'costliest', outcome: 'completed', startedSince: 1 }, 'd'],
      [{ order: 'newest', startedSince: 1, changedSince: 9 }, 'dcb'],
      [{ startedSince: 1 }, 'bcde'],
    ]
    const again = await reopen()
    for (const [filter, expected] of sorted)
      for (const limit of [1, 2, 9]) {
        const pages = await pagesOf(
          (page) => again.list('runs', { ...filter, limit, ...page }),
          ({ runId }) => runId,
        )
        expectEqual(pages.flat().join(''), expected, `the runs for ${JSON.stringify({ ...filter, limit })}`)
      }
    const { next = '' } = await again.list('runs', { order: 'costliest', limit: 1 })
    for (const order of ['longest', 'newest'] as const)
      await expectRejects(
        'INVALID_CONFIGURATION',
        again.list('runs', { order, before: next }),
        `the cursor of the costliest in the list of the ${order}`,
      )
  },
})

export const taskPlans = plans(
  'tasks in the index',
  {
    async 'it has the first line of each task that has a character, of at most 200'({ reopen, begin }) {
      const tasks: [task: string, line: string | undefined][] = [
        ['Look.', 'Look.'],
        ['  \n\t\r\n  Find\tthe  key.\nThen open.', 'Find the key.'],
        ['', undefined],
        [' \n ', undefined],
        [awkward, 'a "quoted"\\ näme with \ufffd halves'],
        [`${'x'.repeat(199)}yz`, `${'x'.repeat(199)}…`],
        [`${'x'.repeat(198)}🚀${'y'.repeat(9_000)}`, `${'x'.repeat(198)}…`],
      ]
      for (const [index, [task]] of tasks.entries()) await begin(String(index), 0, { task })
      const lines = (await (await reopen()).list('runs', {})).items.map(({ task }) => task)
      expectEqual(
        lines,
        tasks.map(([, line]) => line),
        'the tasks',
      )
    },

    async 'words are looked for in tasks and ids: letters of ASCII in either case'({ store, begin }) {
      await begin('a', 0, { task: 'Refund order A-17 of Ärger & Co. "100 %_"' })
      await begin('Bee-2', 0, { task: 'refund nothing\nrefund order A-17', agent: 'lead' })
      await begin('c', 0, { task: 'A\\u0041 back\\slash' })
      await begin('d', 0, { task: '' })
      for (const [filter, expected] of [
        [{ text: 'rEFUND' }, ['a', 'Bee-2']],
        [{ text: ' a-17  refund ' }, ['a']],
        [{ text: 'Ärger' }, ['a']],
        [{ text: 'ärger' }, []],
        [{ text: '%' }, ['a']],
        [{ text: '_' }, ['a']],
        [{ text: '"100' }, ['a']],
        [{ text: '\\' }, ['c']],
        [{ text: 'bee-2' }, ['Bee-2']],
        [{ text: 'bee nothing' }, ['Bee-2']],
        [{ text: 'refund', agent: 'lead' }, ['Bee-2']],
        [{ text: 'refund', order: 'costliest' }, ['Bee-2', 'a']],
        [{ text: 'refund', order: 'newest', limit: 1 }, ['Bee-2']],
        [{ text: ' ' }, ['a', 'Bee-2', 'c', 'd']],
        [{ text: 'refund '.repeat(2_000) }, ['a', 'Bee-2']],
        [{ text: 'order a-17 refund & co. "100 %_" of nowhere' }, ['a']],
        [{ text: `${'refund '.repeat(29)}elsewhere` }, ['a', 'Bee-2']],
        [{ text: 'x'.repeat(100_000) }, []],
        [{ text: `${' '.repeat(199)}🚀` }, ['a', 'Bee-2', 'c', 'd']],
      ] satisfies [RunFilter, string[]][])
        expectEqual(await idsOf(store, filter), expected, `the runs for ${JSON.stringify(filter)}`)
    },
  },
  'tasks',
)

async function idsOf(store: Pick<Store, 'list'>, filter: RunFilter): Promise<string[]> {
  return (await store.list('runs', filter)).items.map(({ runId }) => runId)
}
