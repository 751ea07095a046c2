/** What a run waits for is told as it is, however often somebody has answered. */
import { z } from 'zod'
import { createTool } from 'troupe'
import type { RestateRun } from 'troupe/restate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const inputSchema = z.object({ q: z.string() })
const description = 'Looks something up.'
const guarded = createTool({
  id: 'guarded',
  description,
  inputSchema,
  requireApproval: true,
  execute: () => 'x',
})
const guards = (...questions: readonly string[]) =>
  calls(...questions.map((q) => ({ name: 'guarded', args: { q } })))

async function waitsFor(run: RestateRun): Promise<readonly string[]> {
  const idle = await run.whenIdle
  if (idle.outcome !== 'suspended') throw new Error(`It is ${idle.outcome}.`)
  return idle.awaiting.map(({ toolCallId, type }) => `${type} ${toolCallId}`)
}

test('a call that is approved, and then suspends twice', async () => {
  const found: unknown[] = []
  const twice = createTool({
    id: 'twice',
    description,
    inputSchema,
    requireApproval: true,
    execute: (_input, { resumeData, answers, suspend }) => {
      if (resumeData !== 'enough')
        return suspend({ more: true }, answers.length === 1 ? { name: 'second' } : {})
      found.push(...answers, answers.named('second'))
      return 'got it'
    },
  })
  const { agent: helper } = worker('helper', [calls({ name: 'twice', args: { q: 'x' } }), 'Helped.'], {
    tools: { twice },
  })
  const { agent } = lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper } })
  const run = await (await desk.troupe(agent)).start(agent, 'Go')
  const id = 'boss/delegation:1.1/helper/call:1.1'
  expect(await waitsFor(run)).toEqual([`approval ${id}`])
  await run.approve(id)
  expect(await waitsFor(run)).toEqual([`suspension ${id}`])
  await run.resume(id, 'more', { by: 'ann' })
  expect(await waitsFor(run)).toEqual([`suspension ${id}`])
  await run.resume(id, 'enough', { by: 'bob' })
  expect(await run.whenIdle).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const payload = { more: true }
  const all = [
    { payload, data: 'more', by: 'ann' },
    { name: 'second', payload, data: 'enough', by: 'bob' },
  ]
  expect(found).toEqual([...all, all[1]])
})

test('one of two calls is denied, two levels below: the other is left', async () => {
  const { agent: helper } = worker('helper', [guards('1', '2'), 'Helped.'], { tools: { guarded } })
  const { agent: middle } = lead('middle', [calls(to('helper', 'Help')), 'Led.'], { agents: { helper } })
  const { agent } = lead('top', [calls(to('middle', 'Lead')), 'Done.'], { agents: { middle } })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const call = 'top/delegation:1.1/middle/delegation:1.1/helper/call:1'
  expect(await waitsFor(run)).toEqual([`approval ${call}.1`, `approval ${call}.2`])
  await run.deny(`${call}.1`, 'no')
  expect(await waitsFor(run)).toEqual([`approval ${call}.2`])
  await run.approve(`${call}.2`)
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

test('one of two delegations is cancelled: the question of the other is left', async () => {
  const one = worker('one', [guards('1'), 'One.'], { tools: { guarded } })
  const other = worker('other', [guards('2'), 'Other.'], { tools: { guarded } })
  const { agent } = lead('pair', [calls(to('one', 'Go'), to('other', 'Go')), 'Done.'], {
    agents: { one: one.agent, other: other.agent },
  })
  const run = await (await desk.troupe(agent)).start(agent, 'Go')
  expect(await waitsFor(run)).toHaveLength(2)
  await run.cancel('no', { delegationId: 'pair/delegation:1.1' })
  const id = 'pair/delegation:1.2/other/call:1.1'
  expect(await waitsFor(run)).toEqual([`approval ${id}`])
  await run.approve(id)
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    delegations: [{ outcome: 'cancelled' }, { outcome: 'succeeded' }],
  })
  const events = await allEvents(run)
  const afterCancel = events.slice(events.findIndex((event) => event.type === 'resumed'))
  const asked = afterCancel.flatMap((event) => (event.type === 'suspended' ? event.payload.awaiting : []))
  expect(asked.map(({ toolCallId }) => toolCallId)).toEqual([id])
})
