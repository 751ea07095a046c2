/** A sleep on Restate: the timer is Restate's own, and an answer or a cancel ends it sooner. */
import { createAgent, sleepUntil } from 'troupe'
import { cron } from 'troupe/cron'
import { restateTroupe } from 'troupe/restate'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

async function asleep(id: string, until: number) {
  const { agent, model } = worker(
    id,
    [calls({ name: 'sleep-until', args: { until: new Date(until).toISOString() } }), 'Up.'],
    { tools: { 'sleep-until': sleepUntil() } },
  )
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Wait.')
  const told = () => JSON.stringify(model.calls.at(-1)?.request.messages)
  return { troupe, run, told, toolCallId: `${id}/call:1.1` }
}

test('its time comes, and the run replays', async () => {
  const { troupe, run, told } = await asleep('napper', Date.now() + 300)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Up.' })
  expect(told()).toContain('on time')
  expect((await troupe.replay(run.id)).result).toEqual(await run.result)
})

test('an answer wakes a sleep of more than a timer of the platform can hold, and a cancel ends one', async () => {
  const { run, told, toolCallId } = await asleep('sleeper', Date.now() + 2 ** 33)
  expect(await run.whenIdle).toMatchObject({
    outcome: 'suspended',
    awaiting: [{ toolCallId, type: 'suspension' }],
  })
  await run.resume(toolCallId, 'It was paid.')
  expect(await run.result).toMatchObject({ text: 'Up.' })
  expect(told()).toContain('It was paid.')

  const other = await asleep('dreamer', Date.now() + 2 ** 33)
  expect(await other.run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await other.run.cancel('Enough.')
  expect(await other.run.result).toMatchObject({ outcome: 'cancelled' })
})

test('schedules are refused by name', () => {
  const agent = createAgent({ id: 'napper', instructions: '', model: scriptedModel([]) })
  const config = { ingress: 'http://127.0.0.1:1', agents: [agent], cron }
  expect(() => restateTroupe(config)).toThrow(
    'restateTroupe: there is no option "cron": a RestateTroupe has no schedules',
  )
})
