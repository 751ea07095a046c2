/** Of too many messages the oldest go, those that present an actor last; and it is told once. */
import type { StatelyInspectionEvent } from '@statelyai/inspect'
import { expect, test } from 'vitest'
import { Backlog } from '../../src/inspect-stately/backlog.ts'
import { reportOnce } from '../../src/inspect-stately/report-once.ts'

/** A message that is written in this many characters. */
function message(type: StatelyInspectionEvent['type'], name: string, size: number): StatelyInspectionEvent {
  const bare = { type, name, filler: '' }
  const filler = 'x'.repeat(size - JSON.stringify(bare).length)
  return { ...bare, filler } as object as StatelyInspectionEvent
}

function namesKept(backlog: Backlog): string[] {
  return backlog.after(0).map(({ text }) => (JSON.parse(text) as { name: string }).name)
}

function smallBacklog() {
  const told: string[] = []
  const backlog = new Backlog(
    reportOnce((error) => told.push(error.message)),
    1_000,
  )
  return { backlog, told }
}

test('messages come out in the order in which they went in', () => {
  const { backlog, told } = smallBacklog()
  for (const name of ['a', 'b', 'c']) backlog.push(message('@xstate.event', name, 100))
  expect(backlog.after(1).map(({ number }) => number)).toEqual([2, 3])
  expect(backlog.after(3)).toEqual([])
  expect(told).toEqual([])
})

test('the oldest messages go first, those of actors stay', () => {
  const { backlog, told } = smallBacklog()
  backlog.push(message('@xstate.actor', 'lead', 100))
  for (let i = 0; i < 10; i++) backlog.push(message('@xstate.snapshot', `s${i}`, 100))
  // 1 100 characters, of which at most 750 may stay
  expect(namesKept(backlog)).toEqual(['lead', 's4', 's5', 's6', 's7', 's8', 's9'])
  for (let i = 10; i < 20; i++) backlog.push(message('@xstate.snapshot', `s${i}`, 100))
  expect(namesKept(backlog)[0]).toBe('lead')
  expect(namesKept(backlog).at(-1)).toBe('s19')
  expect(told).toEqual(['There are too many messages to keep, the oldest are dropped'])
})

test('when only actors are left, the oldest of them go', () => {
  const { backlog } = smallBacklog()
  backlog.push(message('@xstate.event', 'e', 100))
  for (let i = 0; i < 10; i++) backlog.push(message('@xstate.actor', `a${i}`, 100))
  expect(namesKept(backlog)[0]).toBe('a0')
  backlog.push(message('@xstate.actor', 'a10', 100))
  expect(namesKept(backlog)).toEqual(['a4', 'a5', 'a6', 'a7', 'a8', 'a9', 'a10'])
})
