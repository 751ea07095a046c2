/** Behaviour of watches over processes that come and go: each reader gets every event and every text once, in order. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunEvent } from 'troupe'
import { watchRandomly } from './watched-troupe.ts'

/** Of a message, only the end is on record; the rest is made of it for late readers. */
const streamed: readonly RunEvent['type'][] = [
  'text-start',
  'text-delta',
  'reasoning-start',
  'reasoning-delta',
]

function onRecord(events: readonly RunEvent[]): readonly string[] {
  return events
    .filter(({ seq, type }) => seq !== undefined && !streamed.includes(type))
    .map(({ seq, type }) => `${seq} ${type}`)
}

interface Heard {
  attempt: number
  text: string
  isOpen: boolean
}

/** Each attempt at a message begins once, goes on with its own text alone, and ends; a complete one has all of its text. */
function checkMessages(events: readonly RunEvent[]): void {
  const messages = new Map<string | undefined, Heard>()
  for (const event of events) {
    const { messageId, attempt = 1 } = event
    const message = messages.get(messageId)
    if (event.type === 'text-start') {
      expect(message?.isOpen ?? false).toBe(false)
      expect(attempt).toBeGreaterThan(message?.attempt ?? 0)
      messages.set(messageId, { attempt, text: '', isOpen: true })
    } else if (event.type === 'text-delta') {
      expect(message).toMatchObject({ isOpen: true, attempt })
      if (message !== undefined) message.text += event.payload.text
    } else if (event.type === 'text-end') {
      expect(message).toMatchObject({ isOpen: true })
      if (event.payload.status === 'complete') expect(message?.text).toBe(event.payload.text)
      if (message !== undefined) message.isOpen = false
    }
  }
  expect([...messages.values()].filter(({ isOpen }) => isOpen)).toEqual([])
}

test('readers that come and go get every event and every text once, while owners come and go', async () => {
  const seen = { visits: 0, owners: 0, attempts: 0, denied: 0 }
  const choices = fc.array(fc.nat({ max: 1_000 }), { minLength: 150, maxLength: 500, size: 'max' })
  await fc.assert(
    fc.asyncProperty(choices, async (choices) => {
      const { recorded, seen: all, visits, owners } = await watchRandomly(choices)
      const expected = onRecord(recorded)
      for (const events of all) {
        expect(onRecord(events)).toEqual(expected)
        checkMessages(events)
      }
      seen.visits += visits
      seen.owners += owners
      seen.attempts += all.flat().filter(({ attempt = 1 }) => attempt > 1).length
      seen.denied += recorded.filter(({ type }) => type === 'tool-error').length
    }),
    // Some are the same each time, so that whatever is counted occurs.
    {
      numRuns: 75,
      endOnFailure: true,
      examples: fc.sample(choices, { seed: 1, numRuns: 20 }).map((one) => [one]),
    },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
  expect(seen.visits).toBeGreaterThan(500)
})
