/**
 * BEHAVIOUR 69: on Restate a reader leaves a watch at any time, a run is polled for its readers alone, and a replay leaves
 * time to the rest of the process.
 */
import { createTool, createTroupe } from 'troupe'
import { restateTroupe, type DeltaSource } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const ask = createTool({
  id: 'ask',
  description: 'Asks.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'asked',
})

/** A run that waits for an answer, and a client that counts the runs which it follows. */
async function waiting() {
  const namespace = 'leaving'
  const { agent } = worker('solo', [calls({ name: 'ask' }), 'Done.'], { tools: { ask } })
  await desk.serve({ agents: [agent], namespace })
  let followed = 0
  const deltas: DeltaSource = {
    subscribe() {
      followed++
      return () => void followed--
    },
  }
  const { ingress } = desk.server
  const troupe = restateTroupe({ ingress, agents: [agent], namespace, pollInterval: 10, deltas })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  return { troupe, run, followed: () => followed }
}

test('a reader that leaves while it waits is let go at once, and the run is polled no more', async () => {
  const { troupe, run, followed } = await waiting()
  const watch = troupe.watch(run.id)
  for (const stream of [watch, watch.textStream, run.events, run.textStream]) {
    const iterator = stream[Symbol.asyncIterator]()
    let next = iterator.next()
    if (stream === watch || stream === run.events) {
      for (let type = ''; type !== 'suspended'; next = iterator.next()) {
        const { value } = await next
        if (typeof value === 'object') ({ type } = value)
      }
    } else await expect.poll(followed).toBe(1)
    await iterator.return?.()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    await expect.poll(followed).toBe(0)
  }
  await run.approve('solo/call:1.1')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
})

test('a replay of a long run gives other work of the process its turn', async () => {
  const echo = createTool({
    id: 'echo',
    description: 'Echoes.',
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }) => n,
  })
  const steps = Array.from({ length: 40 }, (_, n) => calls({ name: 'echo', args: { n } }))
  const { agent } = worker('long', [...steps, 'Done.'], { tools: { echo }, maxSteps: 50 })
  const embedded = createTroupe({ agents: [agent] })
  const run = await embedded.start(agent, 'Go')
  await run.result
  const parts = [{ path: 'long', turns: [await embedded.journal(run.id)] }]
  const troupe = restateTroupe({ ingress: 'http://127.0.0.1:1', agents: [agent] })
  let isOver = false
  const others = new Promise<boolean>((resolve) => setImmediate(() => resolve(isOver)))
  const replay = await troupe.replay({ runId: run.id, agent: 'long', parts })
  isOver = true
  expect(replay.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(await others).toBe(false)
})
