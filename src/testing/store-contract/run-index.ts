/** Cases about the index of runs: their summaries, without a look at their journals. */
import { noUsage, type Usage } from '../../actors/usage.ts'
import type { RunFilter } from '../../runtime/journal/run-index.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, called, fired, settled, started } from './entries.ts'
import { expectFields } from './expectations.ts'
import { plans } from './plan.ts'
import { released } from '../../runtime/journal/store.ts'

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
        entries: 3,
        usage: noUsage,
        status: 'settled',
        outcome: 'failed',
        awaiting: [],
      },
    ]
    expectEqual((await store.list('runs', {})).items, expected, 'the list')
    const again = await reopen()
    expectEqual(
      (await again.list('runs', {})).items,
      expected,
      'the list, from a store that was opened later,',
    )
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
})
