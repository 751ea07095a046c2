/** A subagent that is ended before its answer: its usage and the text that it has given so far stay on record. */
import { createTool, createTroupe, type AgentOptions, type Run, type Troupe } from 'troupe'
import type { ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, to, until, worker, type Cast } from '../../support/agents/agents.ts'
import { divides, fanOut } from '../../support/agents/fan-outs.ts'
import { ManualClock } from '../../support/clocks/manual-clock.ts'

const first = 'lead/delegation:1.1'

const note = createTool({
  id: 'note',
  description: 'Notes.',
  inputSchema: z.object({}),
  execute: () => 'noted',
})

const sign = createTool({
  id: 'sign',
  description: 'Signs.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'signed',
})

/** A researcher that says "Half of it.", and then waits for its model for ever. */
const slow = () =>
  worker('researcher', [{ text: 'Half of it.', ...calls({ name: 'note' }) }, { hang: true }], {
    tools: { note },
  })

/** A researcher that says "Half of it.", and then waits for a person. It makes no other step. */
const waiting = () =>
  worker('researcher', [{ text: 'Half of it.', ...calls({ name: 'sign' }) }], {
    tools: { sign },
    maxSteps: 1,
    onExhausted: 'stop',
  })

interface Led {
  readonly then?: readonly ScriptedStep[]
  readonly timeout?: number
  readonly clock?: ManualClock
}

async function led(
  researcher: Cast<AgentOptions>,
  { then = ['Done.'], timeout, clock = new ManualClock() }: Led = {},
) {
  const { agent } = lead('lead', [calls(to('researcher', 'Find')), ...then], {
    agents: { researcher: researcher.agent },
    ...(timeout === undefined ? {} : { delegation: { timeout } }),
  })
  const troupe = createTroupe({ agents: [agent], clock })
  return { troupe, run: await troupe.start(agent, 'Go') }
}

const isHalfDone = (run: Run) =>
  until(run, 'step-start', ({ agent, payload }) => agent === 'researcher' && payload.step === 2)

/** The delegation of the researcher ended so, with one reply of fifteen tokens, in result, events and replay. */
async function expectHalf(troupe: Troupe, run: Run, outcome: string): Promise<void> {
  const result = await run.result
  const half = result.delegations.filter(({ agent }) => agent === 'researcher')
  expect(half).toMatchObject([{ outcome, text: 'Half of it.', usage: { totalTokens: 15 } }])
  expect(result.usage.byAgent['researcher']?.totalTokens).toBe(15)
  const events = await allEvents(run)
  const ends = only(events, 'delegation-end').filter(({ payload }) => payload.agentId === 'researcher')
  expect(ends.map(({ payload }) => [payload.outcome, payload.text])).toEqual([[outcome, 'Half of it.']])
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
}

describe('a subagent at work', () => {
  test('whose delegation is cancelled', async () => {
    const { troupe, run } = await led(slow())
    await isHalfDone(run)
    await run.cancel('Enough.', { delegationId: first })
    await expectHalf(troupe, run, 'cancelled')
  })

  test('whose run is cancelled', async () => {
    const { troupe, run } = await led(slow())
    await isHalfDone(run)
    await run.cancel('Enough.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', usage: { totalTokens: 30 } })
    await expectHalf(troupe, run, 'cancelled')
  })

  test('whose delegation times out', async () => {
    const clock = new ManualClock()
    const { troupe, run } = await led(slow(), { timeout: 1_000, clock })
    await isHalfDone(run)
    clock.advance(1_000)
    await expectHalf(troupe, run, 'timedOut')
  })

  test('whose goal times out', async () => {
    const clock = new ManualClock()
    const { agent } = fanOut('desk', [divides('Find'), 'Done.'], {
      agents: { researcher: slow().agent },
      goalTimeout: 1_000,
      maxRounds: 1,
    })
    const troupe = createTroupe({ agents: [agent], clock })
    const run = await troupe.start(agent, 'Go')
    await isHalfDone(run)
    clock.advance(1_000)
    await expectHalf(troupe, run, 'timedOut')
  })

  test('that is cancelled because another one bails', async () => {
    const halfDone = Promise.withResolvers<void>()
    const writer = worker('writer', [{ text: 'Written.', until: halfDone.promise }])
    const { agent } = lead('lead', [calls(to('researcher', 'Find'), to('writer', 'Write'))], {
      agents: { researcher: slow().agent, writer: writer.agent },
      delegation: { onDelegationComplete: ({ agentId, bail }) => void (agentId === 'writer' && bail()) },
    })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go')
    await isHalfDone(run)
    halfDone.resolve()
    expect(await run.result).toMatchObject({
      outcome: 'bailed',
      text: 'Written.',
      usage: { totalTokens: 45 },
    })
    await expectHalf(troupe, run, 'cancelled')
  })
})

describe('a subagent that waits for a person', () => {
  const question = `${first}/researcher/call:1.1`

  test('whose delegation is cancelled', async () => {
    const { troupe, run } = await led(waiting())
    await run.whenIdle
    await run.cancel('Enough.', { delegationId: first })
    await expectHalf(troupe, run, 'cancelled')
  })

  test.for([
    ['without a timeout', {}],
    ['under a timeout', { timeout: 1_000 }],
  ] as const)('%s, and whose last step is denied', async ([, options]) => {
    const { troupe, run } = await led(waiting(), options)
    await run.whenIdle
    await run.deny(question, 'Not today.')
    await expectHalf(troupe, run, 'exhausted')
  })
})
