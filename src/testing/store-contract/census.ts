/** Cases about the census: what a store holds, in numbers. */
import type { Census, CensusOptions } from '../../runtime/journal/census.ts'
import { released, type Store } from '../../runtime/journal/store.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { appends, awkward, fired, settled } from './entries.ts'
import { plans } from './plan.ts'
import { change, question } from './questions.ts'

const nothing: Census = {
  running: 0,
  suspended: 0,
  passivated: 0,
  leased: 0,
  unowned: { count: 0 },
  left: 0,
  alarms: { count: 0 },
  questions: { count: 0, byAge: { minute: 0, hour: 0, day: 0, older: 0 } },
}

async function expectCensus(
  store: Store,
  options: CensusOptions,
  expected: Partial<Census>,
  what: string,
): Promise<void> {
  expectThat(store.census !== undefined, 'the store to have census')
  expectEqual(await store.census(options), { ...nothing, ...expected }, what)
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export const censusPlans = plans(
  'census',
  {
    async 'an empty store has nothing'({ store, reopen }) {
      await expectCensus(store, { now: 0 }, {}, 'the census')
      await expectCensus(
        await reopen(),
        { now: 5, settled: true },
        { settled: 0 },
        'the census with ended runs',
      )
    },

    async 'runs count by their status, and ended ones where it is asked to'({ store, reopen, begin }) {
      const [a, b, c] = [await begin('a'), await begin('b'), await begin('c')]
      await begin('d')
      await store.append([{ runId: 'a', lease: a, questions: { opened: [], closed: [], suspendedAt: 1 } }])
      await store.renew([released(b, {})])
      await store.append(appends('c', [settled(1)], c))
      const again = await reopen()
      const expected = { running: 1, suspended: 2, passivated: 1, leased: 2 }
      await expectCensus(again, { now: 10 }, expected, 'the census')
      await expectCensus(again, { now: 10, settled: true }, { ...expected, settled: 1 }, 'with ended runs')
      await again.append(appends('a', [fired(1)], a))
      await expectCensus(again, { now: 10 }, { ...expected, running: 2, suspended: 1 }, 'after another entry')
      await again.delete('c')
      await expectCensus(
        again,
        { now: 10, settled: true },
        { ...expected, running: 2, suspended: 1, settled: 0 },
        'after the deletion',
      )
    },

    async 'a run whose lease has expired waits for an owner, and a passivated run does not'({
      store,
      begin,
    }) {
      const [a, b] = [await begin('a'), await begin('b', 7)]
      await store.append(appends('b', [fired(300)], b))
      await expectCensus(store, { now: 999 }, { running: 2, leased: 2 }, 'the census before the expiry')
      await expectCensus(
        store,
        { now: 1_000 },
        { running: 2, unowned: { count: 2, since: 1_000 } },
        'the census at the expiry',
      )
      await store.renew([released(b)])
      await expectCensus(
        store,
        { now: 2_000 },
        { running: 2, unowned: { count: 2, since: 300 } },
        'the census after a release, since the last entry',
      )
      await store.claim('b', 'other', 2_000, 5_000)
      await store.renew([released(a, {})])
      await expectCensus(
        store,
        { now: 2_000 },
        { running: 1, suspended: 1, passivated: 1, leased: 1 },
        'the census at last',
      )
    },

    async 'a run that is left counts as such, once its lease has expired'({ store, begin }) {
      await begin('a')
      for (const [index, owner] of ['x', 'y', 'z'].entries()) {
        const now = 1_000 * (index + 1)
        await store.claim('a', owner, now, now + 1_000)
      }
      await expectCensus(store, { now: 3_999 }, { running: 1, leased: 1 }, 'the census before the expiry')
      await expectCensus(store, { now: 4_000 }, { running: 1, left: 1 }, 'the census at the expiry')
    },

    async 'an alarm counts from its time on, until its run is claimed'({ store, reopen, begin }) {
      const [a, b, c] = [await begin('a'), await begin('b'), await begin('c')]
      await store.renew([released(a, { wakeAt: 500 }), released(b, { wakeAt: 700 }), released(c, {})])
      const passivated = { suspended: 3, passivated: 3 }
      const again = await reopen()
      await expectCensus(again, { now: 499 }, passivated, 'the census before the first')
      await expectCensus(
        again,
        { now: 500 },
        { ...passivated, alarms: { count: 1, since: 500 } },
        'at the first',
      )
      await expectCensus(
        again,
        { now: 900 },
        { ...passivated, alarms: { count: 2, since: 500 } },
        'after the second',
      )
      await again.claim('a', 'other', 900, 2_000)
      const rest = { running: 1, suspended: 2, passivated: 2, leased: 1, alarms: { count: 1, since: 700 } }
      await expectCensus(again, { now: 900 }, rest, 'after a claim')
    },

    async 'open questions count by their age, and those that are closed do not'({ store, reopen, begin }) {
      const now = 2 * day
      const [a, b] = [await begin('a'), await begin(awkward)]
      const at = (runId: string, call: string, age: number) => question(runId, call, { since: now - age })
      await store.append(
        change(a, [at('a', '1', 0), at('a', '2', minute), at('a', '3', hour), at('a', '4', -5)]),
      )
      await store.append(change(b, [at(awkward, awkward, day), at(awkward, '2', day - 0.5)]))
      const again = await reopen()
      const runs = { running: 2, unowned: { count: 2, since: 1_000 } }
      const byAge = { minute: 2, hour: 1, day: 2, older: 1 }
      const asked = { questions: { count: 6, since: now - day, byAge } }
      await expectCensus(again, { now }, { ...runs, ...asked }, 'the census')
      await again.append(change(a, [at('a', '1', hour)], 'others'))
      const fewer = {
        questions: { count: 3, since: now - day, byAge: { minute: 0, hour: 0, day: 2, older: 1 } },
      }
      await expectCensus(again, { now }, { ...runs, ...fewer }, 'the census after a change')
      await again.append(appends(awkward, [settled(1)], b))
      const last = { count: 1, since: now - hour, byAge: { minute: 0, hour: 0, day: 1, older: 0 } }
      await expectCensus(
        again,
        { now },
        { running: 1, unowned: { count: 1, since: 1_000 }, questions: last },
        'after an end',
      )
    },
  },
  'census',
)
