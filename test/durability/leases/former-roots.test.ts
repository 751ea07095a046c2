/** An app that holds or observes the root actor of a run learns its end, also where the run has left memory meanwhile. */
import { createTool, createTroupe, memoryStore, type FinalResult, type Store } from 'troupe'
import { toPromise, waitFor } from 'xstate'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { expectPassivated, suspendedBy } from '../processes.ts'

const callId = 'asker/call:1.1'

/** `questions`: how often the agent asks. */
async function passivated(store: Store, questions = 1) {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })
  const { agent } = worker(
    'asker',
    [...Array<object>(questions).fill(calls({ name: 'ask' })), 'They said yes.'],
    {
      tools: { ask },
    },
  )
  const troupe = createTroupe({ agents: [agent], store, passivateAfter: 0, pollInterval: 5 })
  const run = await troupe.start(agent, 'Go')
  const before = run.actor
  await suspendedBy(run)
  const observed = toPromise(before)
  await expectPassivated(store)
  return { agent, troupe, run, before, observed }
}

test('a subscriber from before hears the end, and one that came while the run was away', async () => {
  const { run, before, observed, troupe } = await passivated(memoryStore())
  const late = toPromise(run.actor)
  const waiting = waitFor(before, ({ status }) => status === 'done')
  await run.approve(callId)
  const result: FinalResult = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'They said yes.' })
  expect(await observed).toEqual(result)
  expect(await late).toEqual(result)
  expect(await waiting).toMatchObject({ status: 'done', output: result })
  expect(before.getSnapshot()).toMatchObject({ status: 'done', output: result })
  expect(run.actor).not.toBe(before)
  await troupe.close()
})

test('a subscriber alone keeps the run from being forgotten, also where another troupe brings it to its end', async () => {
  const store = memoryStore()
  const { agent, observed, troupe, run } = await passivated(store)
  const other = createTroupe({ agents: [agent], store, passivateAfter: 0 })
  await other.signal(run.id, { type: 'deny', toolCallId: callId, reason: 'No.' })
  expect(await observed).toMatchObject({ outcome: 'completed' })
  await Promise.all([troupe.close(), other.close()])
})

test('a cancel of an actor from before cancels the run, and so does a stop', async () => {
  const cancelled = await passivated(memoryStore())
  cancelled.before.send({ type: 'cancel', cause: 'cancel', reason: 'too late' })
  expect(await cancelled.run.result).toMatchObject({ outcome: 'cancelled', reason: 'too late' })
  expect(await cancelled.observed).toMatchObject({ outcome: 'cancelled' })

  const stopped = await passivated(memoryStore())
  stopped.before.stop()
  const reason = 'The actor of the run was stopped.'
  expect(await stopped.run.result).toMatchObject({ outcome: 'cancelled', reason })
})

test('an actor from before cancels a run that is back in memory', async () => {
  const { run, before, observed, troupe } = await passivated(memoryStore(), 2)
  await run.approve(callId)
  await suspendedBy(run)
  expect(run.actor).not.toBe(before)
  before.send({ type: 'cancel', cause: 'cancel', reason: 'no more' })
  expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'no more' })
  expect(await observed).toMatchObject({ outcome: 'cancelled' })
  await troupe.close()
})

test('after a close the subscriber is told that the run cannot be followed any more', async () => {
  const { troupe, before, observed } = await passivated(memoryStore())
  await troupe.close()
  expect(await rejection(observed)).toMatchObject({ code: 'TROUPE_CLOSED' })
  expect(before.getSnapshot()).toMatchObject({ status: 'error', error: { code: 'TROUPE_CLOSED' } })
})

test('an observer that has no handler of errors does not end the process, also of an actor that came while the run was away', async () => {
  const { troupe, run, before, observed } = await passivated(memoryStore())
  const seen: unknown[] = []
  for (const actor of [before, run.actor]) actor.subscribe((snapshot) => seen.push(snapshot.status))
  await troupe.close()
  await rejection(observed)
  await new Promise((resolve) => void setTimeout(resolve, 5)) // an error that nobody handles comes by a timer
  expect(seen).toEqual([])
})
