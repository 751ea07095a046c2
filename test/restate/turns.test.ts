/** When the journal of a workflow is kept, and what a part leaves to its parent. */
import type { WorkflowContext } from '@restatedev/restate-sdk'
import { expect, test } from 'vitest'
import type { Appender } from '../../src/runtime/journal/committer.ts'
import { TurnJournal } from '../../src/restate/worker/turn-journal.ts'
import type { KeptTurn } from '../../src/restate/wire/wire.ts'
import type { WorkflowClock } from '../../src/restate/worker/workflow-clock.ts'

/** A journal whose time is set by hand. */
function journal() {
  const state = new Map<string, KeptTurn>()
  const time = { now: 1_000 }
  const due = new Set<{ readonly at: number; readonly callback: () => void }>()
  const context = {
    request: () => ({ id: 'inv' }),
    set: (name: string, bytes: Uint8Array) =>
      void state.set(name, JSON.parse(new TextDecoder().decode(bytes))),
  }
  const clock = {
    now: () => time.now,
    after(delay: number, callback: () => void) {
      const timer = { at: time.now + delay, callback }
      due.add(timer)
      return () => void due.delete(timer)
    },
  }
  const turns = new TurnJournal(context as object as WorkflowContext, clock as object as WorkflowClock)
  return {
    turns,
    /** Something comes, and is delivered. */
    async comes(key: string) {
      turns.append(nobody, { type: 'timer.fired', at: time.now, key, digest: '', dueAt: 0 })
      await turns.deliver(nobody)
    },
    passes(milliseconds: number) {
      time.now += milliseconds
      for (const timer of due) {
        if (timer.at > time.now) continue
        due.delete(timer)
        timer.callback()
      }
    },
    get timers() {
      return due.size
    },
    get kept() {
      return [...state.values()].map(({ entries }) => entries.map((entry) => 'key' in entry && entry.key))
    },
  }
}

const nobody = { committed: () => undefined, turnEnded: () => undefined } as object as Appender

test('what comes after a pause is kept at once, and many that follow on it together', async () => {
  const it = journal()
  await it.comes('first')
  it.turns.keepSoon()
  expect(it.kept).toEqual([['first']])
  for (const key of ['second', 'third']) {
    await it.comes(key)
    it.turns.keepSoon()
  }
  expect([it.kept, it.timers]).toEqual([[['first']], 1])
  it.passes(25)
  expect([it.kept, it.timers]).toEqual([[['first'], ['second', 'third']], 0])
})

test('what is to be kept at once takes along what was waiting, which is not kept again', async () => {
  const it = journal()
  await it.comes('first')
  it.turns.keepSoon()
  await it.comes('second')
  it.turns.keepSoon()
  await it.comes('third')
  it.turns.keep()
  expect([it.kept, it.timers]).toEqual([[['first'], ['second', 'third']], 0])
})

test('a part leaves the end of its journal, and says how many turns stand before it', async () => {
  const it = journal()
  await it.comes('first')
  it.turns.keep()
  await it.comes('last')
  expect(it.turns.leave()).toMatchObject({ after: 1, entries: [{ key: 'last' }] })
  expect(it.kept).toEqual([['first']])
})

test('an end that is too much for its parent is kept, and nothing is left', async () => {
  const it = journal()
  await it.comes('x'.repeat(64 * 1024))
  expect(it.turns.leave()).toBeUndefined()
  expect(it.kept).toHaveLength(1)
})
