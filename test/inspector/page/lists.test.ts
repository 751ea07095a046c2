/** The list of runs: its filter, its newest page, and the window of its rows. */
import { expect, test } from 'vitest'
import { hasWords, orderNamed, readFilter } from '../../../src/inspector/page/list/filter.ts'
import { joinNewest } from '../../../src/inspector/page/list/run-list.ts'
import { moved } from '../../../src/inspector/page/shared/window-list.tsx'
import type { RunRow } from '../../../src/inspector/wire/routes.ts'

function run(runId: string, more: Partial<RunRow> = {}): RunRow {
  return { runId, agent: 'lead', status: 'settled', startedAt: 0, awaiting: [], ...more }
}

const runs = (...ids: readonly string[]) => ids.map((id) => run(id))

test('the filter and the words go to the server; on Restate the words stay', () => {
  expect(readFilter('  Refund agent:lead status:suspended tea ')).toEqual({
    server: { agent: 'lead', status: 'suspended', text: 'Refund tea' },
    words: [],
  })
  expect(readFilter('outcome:failed since:1h started:2d code:TIMED_OUT resource:"Ann B"').server).toEqual({
    outcome: 'failed',
    within: 3_600_000,
    begunWithin: 172_800_000,
    code: 'TIMED_OUT',
    resourceId: 'Ann B',
  })
  expect(readFilter('since:soon since:1y').server).toEqual({ text: 'since:soon since:1y' })
  expect(readFilter('outcome:failed Tea', 'restate')).toEqual({
    server: {},
    words: ['outcome:failed', 'tea'],
  })
  expect(readFilter('status:completed', 'restate').server).toEqual({ status: 'completed' })
  expect(readFilter('status:completed').server).toEqual({ text: 'status:completed' })
  expect(readFilter('status:unknown agent: resource:"').server).toEqual({
    text: 'status:unknown agent: resource:"',
  })
})

test('orders that an engine does not know are the newest first', () => {
  expect(orderNamed('costliest', 'embedded')).toBe('costliest')
  expect(orderNamed('costliest', 'restate')).toBe('newest')
  expect(orderNamed('none', 'embedded')).toBe('newest')
})

test('each word must be somewhere in the run, in any case', () => {
  const asking = run('r-7', {
    threadId: 'Order-5',
    awaiting: [
      {
        runId: 'r-7',
        path: 'lead',
        since: 0,
        asOf: 1,
        toolCallId: 'lead/call:1.1',
        type: 'approval',
        agent: 'clerk',
        toolName: 'refund',
        args: {},
      },
    ],
  })
  expect(hasWords(asking, ['order-5', 'refund', 'clerk'])).toBe(true)
  expect(hasWords(asking, ['order-5', 'lunch'])).toBe(false)
  expect(hasWords(asking, [])).toBe(true)
})

test('the newest page stands before the runs that it does not have', () => {
  expect(joinNewest(runs('c', 'b', 'a'), runs('d', 'c', 'b'))).toEqual({
    older: runs('a'),
    isContinued: true,
  })
})

test('a run that was deleted is not behind the newest page', () => {
  expect(joinNewest(runs('d', 'c', 'b', 'a'), runs('d', 'b')).older).toEqual(runs('a'))
})

test('a run that has moved to the front is not behind it too', () => {
  expect(joinNewest(runs('d', 'c', 'b', 'a'), runs('a', 'd', 'c')).older).toEqual(runs('b'))
  expect(joinNewest(runs('d', 'c', 'b', 'a'), runs('b', 'd')).older).toEqual(runs('c', 'a'))
})

test('a page of new runs alone begins the list anew', () => {
  expect(joinNewest(runs('b', 'a'), runs('d', 'c'))).toEqual({ older: [], isContinued: false })
})

test('the keys of a list stay within it', () => {
  expect(moved('ArrowDown', -1, 3, 10)).toBe(0)
  expect(moved('ArrowDown', 2, 3, 10)).toBe(2)
  expect(moved('ArrowUp', -1, 3, 10)).toBe(0)
  expect(moved('PageDown', 0, 100, 10)).toBe(10)
  expect(moved('End', 0, 3, 10)).toBe(2)
  expect(moved('Home', 2, 3, 10)).toBe(0)
  expect(moved('x', 0, 3, 10)).toBeUndefined()
  expect(moved('ArrowDown', -1, 0, 10)).toBeUndefined()
})
