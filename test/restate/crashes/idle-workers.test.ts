/** Nobody executes a workflow for a while, because its workers are away or busy, and what it works with goes on. */
import { createDebate, type RunEvent } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, lead, only, to, worker } from '../../support/agents/agents.ts'
import { Desk } from './desk.ts'
import { gatedTroupe } from './gated-worker.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

/** The status that Restate gives the one workflow of a service. */
async function statusOf(service: string): Promise<unknown> {
  const where = `target_service_name = '${service}' AND target_handler_name = 'run'`
  const [row] = await desk.rows(`SELECT status FROM sys_invocation WHERE ${where}`)
  return row?.['status']
}

test('a delegation that is cancelled before its agent has begun is cancelled when it has', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent: mute } = worker('mute', [{ hang: true }])
  const { agent: clear } = worker('clear', [], { otherwise: 'Yes.' })
  const panel = createDebate({
    id: 'panel',
    description: 'Debates.',
    instructions: 'Debate.',
    model: scriptedModel(['Agreed.']),
    agents: { mute, clear },
    rounds: 1,
    quorum: 1,
  })
  const { agent } = lead('early', [calls(to('panel', 'Discuss')), 'Done.'], { agents: { panel } })
  const troupe = await gatedTroupe(desk, agent, (id) => (id === 'panel' ? gate.promise : undefined))
  const run = await troupe.start(agent, 'Go')
  const delegationId = 'early/delegation:1.1/panel/delegation:1.1'
  for await (const { type, path } of run.events)
    if (type === 'delegation-start' && path === delegationId) break
  const cancelling = run.cancel('no', { delegationId })
  await Promise.race([cancelling, new Promise((resolve) => setTimeout(resolve, 500))])
  gate.resolve()
  await cancelling
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const { events } = await troupe.replay(run.id)
  const ends = events.filter(({ type, path }) => type === 'delegation-end' && path === delegationId)
  expect(ends).toMatchObject([{ payload: { outcome: 'cancelled' } }])
})

test('a subagent that is cancelled before it has begun reports that it was', async () => {
  const gate = Promise.withResolvers<void>()
  const { agent: helper, model } = worker('helper', [], { otherwise: 'Never said.' })
  const { agent } = lead('hasty', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const troupe = await gatedTroupe(desk, agent, (id) => (id === 'helper' ? gate.promise : undefined))
  const run = await troupe.start(agent, 'Go')
  const delegationId = 'hasty/delegation:1.1'
  for await (const { type, path } of run.events)
    if (type === 'delegation-start' && path === delegationId) break
  await run.cancel('no', { delegationId })
  gate.resolve()
  const result = await run.result
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    delegations: [{ id: delegationId, outcome: 'cancelled' }],
  })
  expect(model.calls.length).toBeLessThan(2)
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

test('a subagent ends while nobody executes the one that waits for it: its end is kept when somebody does', async () => {
  const away = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const helping = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const resting = { inactivityTimeout: 1 } // whoever waits is suspended, and begun again when it need not
  let isHelping = false
  let isHeld = false
  const { agent: helper } = worker('helper', [], {
    otherwise: () => ({ text: 'Helped.', until: ending.promise }),
  })
  const { agent, model } = lead('absent', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const isAway = () => model.calls.length === 1 && isHelping
  const troupe = await gatedTroupe(
    desk,
    agent,
    (id) => {
      if (id === 'helper') {
        isHelping = true
        helping.resolve()
      }
      if (id !== 'absent' || !isAway()) return undefined
      isHeld = true
      held.resolve()
      return away.promise
    },
    resting,
  )
  const run = await troupe.start(agent, 'Go')
  const events: RunEvent[] = []
  const reading = (async () => {
    for await (const event of run.events) events.push(event)
  })()
  await helping.promise
  await expect.poll(async () => isHeld || (await statusOf('absent.absent')) === 'suspended').toBe(true)
  ending.resolve()
  await held.promise
  await expect.poll(() => statusOf('absent.helper')).toBe('completed')
  expect(only(events, 'delegation-end')).toEqual([])
  away.resolve()
  await reading
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const { events: told } = await troupe.replay(run.id)
  expect(events.map(({ path, type }) => `${path} ${type}`)).toEqual(
    told.map(({ path, type }) => `${path} ${type}`),
  )
})

test('what is to be kept a little later is kept also while the run is suspended', async () => {
  const gate = Promise.withResolvers<void>()
  const ids = ['first', 'second', 'third', 'last']
  const agents = Object.fromEntries(
    ids.map((id) => [id, worker(id, [id === 'last' ? { text: id, until: gate.promise } : id]).agent]),
  )
  const { agent } = lead('resting', [calls(...ids.map((id) => to(id, 'Help'))), 'Done.'], {
    agents,
    toolCallConcurrency: ids.length,
  })
  const troupe = await gatedTroupe(desk, agent, () => undefined, { inactivityTimeout: 1 })
  const run = await troupe.start(agent, 'Go')
  let ends = 0
  for await (const { type } of run.events) if (type === 'delegation-end' && ++ends === 3) gate.resolve()
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})
