/** The clock of a run and its alarm: it fires once, and an entry that comes after a cancel does not count. */
import { expect, test } from 'vitest'
import { WallClockAlarm } from '../../src/runtime/engine/effects/wall-clock-alarm.ts'
import { WallClock } from '../../src/runtime/state/effects/wall-clock.ts'
import type { JournalEntry } from '../../src/runtime/journal/journal.ts'
import { virtualClock } from '../support/clocks/virtual-clock.ts'

function started() {
  const clock = virtualClock()
  const appended: JournalEntry[] = []
  const wallClock = new WallClock(1_000, () => alarm.set())
  const alarm = new WallClockAlarm(wallClock, { clock, append: (entry) => void appended.push(entry) })
  wallClock.resume(clock.now())
  return { clock, appended, wallClock }
}

test('it appends one entry when the time is up, and the run was on the clock until then', () => {
  const { clock, appended, wallClock } = started()
  clock.advance(999)
  expect(appended).toEqual([])
  clock.advance(1)
  expect(appended).toEqual([expect.objectContaining({ type: 'timer.fired' })])
  expect([wallClock.fired(), wallClock.fired()]).toEqual([true, false])
})

test('a cancel that is on record before its entry has stopped it: the entry fits, and ends nothing', () => {
  const { clock, appended, wallClock } = started()
  clock.advance(1_000)
  wallClock.stop()
  expect(appended).toHaveLength(1)
  expect(wallClock.mayFire).toBe(true)
  expect(wallClock.fired()).toBe(false)
})

test('after a stop its time is never up', () => {
  const { clock, appended, wallClock } = started()
  wallClock.stop()
  clock.advance(5_000)
  expect(appended).toEqual([])
  expect(clock.pending).toBe(0)
})
