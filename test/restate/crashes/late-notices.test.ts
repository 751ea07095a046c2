/** A subagent says that it waits for a person, and its parent has processed a cancel by then: the notice changes nothing. */
import { createTool } from 'troupe'
import type { RestateTroupe } from 'troupe/restate'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Run } from '../../../src/runtime/handle/run.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Desk } from './desk.ts'
import { gatedTroupe } from './gated-worker.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const guarded = createTool({
  id: 'guarded',
  description: 'Waits for a person.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'never',
})

/** A slow machine may need all of it. */
const patience = { timeout: 20_000, interval: 20 }

/** Types of the entries of one agent, in their order; a signal is named itself. */
async function entriesOf(troupe: RestateTroupe, id: string, path: string): Promise<readonly string[]> {
  const { parts } = await troupe.journal(id)
  const entries = parts.filter((part) => part.path === path).flatMap(({ turns }) => turns.flat())
  return entries.map((entry) => (entry.type === 'signal.received' ? entry.signal.type : entry.type))
}

/** The state that Restate gives the workflow of a root agent. */
async function statusOf(runId: string): Promise<unknown> {
  const where = `target_service_key = '${runId}' AND target_handler_name = 'run'`
  const [row] = await desk.rows(`SELECT status FROM sys_invocation WHERE ${where}`)
  return row?.['status']
}

/** The result of a run whose parent agent is held up, so that it processes the cancel before the notice. */
async function cancelledBeforeHeld(id: string, cancel: (run: Pick<Run, 'cancel'>) => Promise<void>) {
  const [asked, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const opened = Promise.withResolvers<void>()
  let isClosed = false
  const until = (agentId: string): Promise<void> | undefined => {
    if (!isClosed || agentId !== id) return undefined
    reached.resolve()
    return opened.promise
  }
  const { agent: helper } = worker(
    'helper',
    [{ ...calls({ name: 'guarded' }), until: asked.promise }, 'Too late.'],
    { tools: { guarded } },
  )
  const { agent } = lead(id, [calls(to('helper', 'Help')), 'Without help.'], { agents: { helper } })
  const troupe = await gatedTroupe(desk, agent, until, { inactivityTimeout: 1 })
  const run = await troupe.start(agent, 'Go')
  for await (const { type } of run.events) if (type === 'delegation-start') break
  // Restate executes the workflow anew, through the gate, once it has suspended it.
  await vi.waitFor(async () => expect(await statusOf(run.id)).toBe('suspended'), patience)
  isClosed = true
  await cancel(run)
  await reached.promise
  asked.resolve()
  const part = `${id}/delegation:1.1/helper`
  await vi.waitFor(
    async () => expect(await entriesOf(troupe, run.id, part)).toContain('effect.settled'),
    patience,
  )
  opened.resolve()
  const result = await run.result
  const signals = (await entriesOf(troupe, run.id, id)).filter((type) => !type.includes('.'))
  expect(signals).toEqual(['cancel', 'held', 'released'])
  const events: string[] = []
  for await (const { type } of run.events) events.push(type)
  expect(events).not.toContain('suspended')
  expect(events).not.toContain('resumed')
  expect((await troupe.replay(run.id)).result).toEqual(result)
  return result
}

test('a delegation that was cancelled reports its end, and the run goes on', async () => {
  const result = await cancelledBeforeHeld('dropper', (run) =>
    run.cancel('Enough.', { delegationId: 'dropper/delegation:1.1' }),
  )
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'Without help.',
    delegations: [{ outcome: 'cancelled' }],
  })
})

test('a run that was cancelled ends as cancelled', async () => {
  const result = await cancelledBeforeHeld('stopper', (run) => run.cancel('Enough.'))
  expect(result).toMatchObject({ outcome: 'cancelled', delegations: [{ outcome: 'cancelled' }] })
})
