/** The rule of pairs finds events that open something and leave it open, and events that close nothing. */
import { describe, expect, test } from 'vitest'
import { createAgent, createTroupe, type RunEvent } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { unpaired } from '../../../src/testing/explore/rules/brackets.ts'

async function eventsOfRun(): Promise<readonly RunEvent[]> {
  const agent = createAgent({ id: 'solo', instructions: '', model: scriptedModel(['Done.']) })
  const run = await createTroupe({ agents: [agent] }).start(agent, 'Go.')
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  return events
}

test('the events of a whole run come in pairs', async () => {
  expect(unpaired(await eventsOfRun())).toBeUndefined()
})

describe('an event less is found', () => {
  test.each([
    ['run-finish', 'run-start without run-finish: solo.'],
    ['step-finish', 'step-start without step-finish: solo.'],
    ['step-start', 'step-finish without step-start: solo.'],
    ['text-end', 'text-start without text-end: solo.'],
  ])('%s', async (type, message) => {
    const events = await eventsOfRun()
    expect(unpaired(events.filter((event) => event.type !== type))).toBe(message)
  })
})

test('an event that is repeated is found', async () => {
  const events = await eventsOfRun()
  const twice = [...events, ...events.filter(({ type }) => type === 'step-start')]
  expect(unpaired(twice)).toBe('step-start without step-finish: solo.')
})
