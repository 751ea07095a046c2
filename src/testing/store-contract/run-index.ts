/** Cases about the index of runs: their summaries, without a look at their journals. */
import type { RunFilter } from '../../runtime/journal/run-index.ts'
import { expectEqual } from '../contract/check.ts'
import { appends, fired, settled, started } from './entries.ts'
import { expectFields } from './expectations.ts'
import { plans } from './plan.ts'

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
        status: 'settled',
        outcome: 'failed',
        awaiting: [],
      },
    ]
    expectEqual((await store.list()).items, expected, 'the list')
    const again = await reopen()
    expectEqual((await again.list()).items, expected, 'the list, from a store that was opened later,')
  },

  async 'it is filtered by status, agent and conversation, alone and together'({ store, begin }) {
    const passivated = await begin('passivated', 1, { conversationId: 'x' })
    await begin('running', 2, { agent: 'lead', conversationId: 'x' })
    await store.append(appends('done', [started('done', 3, { conversationId: 'y' }), settled(4)]))
    await store.release([{ ...passivated, passivated: {} }])
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
    ]
    for (const [filter, expected] of listed) {
      const ids = (await store.list(filter)).items.map(({ runId }) => runId)
      expectEqual(ids, expected, `the runs for ${JSON.stringify(filter)}`)
    }
  },

  async 'a late entry after the end changes when it was updated, not how it ended'({ store, begin }) {
    await begin('a')
    await store.append(appends('a', [settled(2)]))
    await store.append(appends('a', [fired(3)]))
    const [summary] = (await store.list()).items
    expectFields(
      summary,
      { status: 'settled', outcome: 'completed', entries: 3, updatedAt: 3 },
      'the summary',
    )
  },
})
