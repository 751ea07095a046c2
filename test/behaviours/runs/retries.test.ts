import { expect, test } from 'vitest'
import {
  createAgent,
  createTool,
  createTroupe,
  RetryableError,
  TerminalError,
  type AnyAgent,
  type Clock,
} from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from 'troupe/testing'
import { z } from 'zod'
import { worker } from '../../support/agents/agents.ts'
import { done, router } from '../../support/agents/routing.ts'

/** Every delay is over at once; what was waited for is written down. */
function recordingClock(): { clock: Clock; delays: number[] } {
  const delays: number[] = []
  let now = 0
  const clock: Clock = {
    now: () => now,
    after(delay, callback) {
      delays.push(delay)
      const handle = setImmediate(() => {
        now += delay
        callback()
      })
      return () => clearImmediate(handle)
    },
  }
  return { clock, delays }
}

async function run(steps: readonly ScriptedStep[], options: { retries?: number } = {}) {
  const model = scriptedModel(steps)
  return runOf(createAgent({ id: 'agent', instructions: '', model, ...options }), model)
}

async function runOf(agent: AnyAgent, model: ScriptedModel) {
  const { clock, delays } = recordingClock()
  const troupe = createTroupe({ agents: [agent], clock })
  const handle = await troupe.start(agent, 'Go')
  return { result: await handle.result, replay: await troupe.replay(handle.id), delays, model }
}

const busy = { error: new RetryableError('busy', { code: 'RATE_LIMITED' }) }

test('a retryable error is tried again, with a back-off that grows and has jitter in its second half', async () => {
  const { result, delays, model } = await run([busy, busy, busy, 'Done.'])
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(model.calls).toHaveLength(4)
  expect(delays).toHaveLength(3)
  for (const [position, longest] of [500, 1_000, 2_000].entries()) {
    expect(delays[position]).toBeGreaterThanOrEqual(longest / 2)
    expect(delays[position]).toBeLessThanOrEqual(longest)
  }
})

test('the server’s retry-after is honoured: never less', async () => {
  const { result, delays } = await run([
    { error: new RetryableError('busy', { retryAfterMs: 7_000 }) },
    'Done.',
  ])
  expect(result.outcome).toBe('completed')
  expect(delays).toHaveLength(1)
  expect(delays[0]).toBeGreaterThanOrEqual(7_000)
  expect(delays[0]).toBeLessThanOrEqual(7_250)
})

test('so it is by a model that is asked for a decision, after each failure anew', async () => {
  const after = (retryAfterMs: number) => ({ error: new RetryableError('busy', { retryAfterMs }) })
  const agents = { one: worker('one', []).agent, two: worker('two', []).agent }
  const { agent, model } = router('desk', [after(7_000), after(20_000), done('Done.')], { agents })
  const { result, delays } = await runOf(agent, model)
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(delays.map((delay) => Math.floor(delay / 1_000))).toEqual([7, 20])
})

test('the jitter comes from the key of the effect: a replay waits for the same moment', async () => {
  const { result, replay } = await run([busy, 'Done.'])
  expect(replay.result).toEqual(result)
})

test('after `retries` the error is the outcome, and nothing is lost of it', async () => {
  const { result, model } = await run([busy, busy], { retries: 1 })
  expect(result).toMatchObject({
    outcome: 'failed',
    error: { name: 'RetryableError', code: 'RATE_LIMITED', message: 'busy', retryable: true },
  })
  expect(model.calls).toHaveLength(2)
})

test.each([
  ['a terminal error', new TerminalError('no', { code: 'UNAUTHORISED' }), 'UNAUTHORISED'],
  ['an error of unknown kind', new Error('no'), 'MODEL_FAILED'],
])('%s is not tried again', async (_what, error, code) => {
  const { result, model } = await run([{ error }])
  expect(result).toMatchObject({ outcome: 'failed', error: { code, message: 'no' } })
  expect(model.calls).toHaveLength(1)
})

test('`retries: 0` tries nothing again', async () => {
  const { result, model } = await run([busy], { retries: 0 })
  expect(result.outcome).toBe('failed')
  expect(model.calls).toHaveLength(1)
})

test('a tool that throws a RetryableError is tried again with the same idempotency key', async () => {
  const keys: string[] = []
  const tool = createTool({
    id: 'charge',
    description: 'Charges.',
    inputSchema: z.object({}),
    execute: (_input, { idempotencyKey }) => {
      keys.push(idempotencyKey)
      if (keys.length < 3) throw new RetryableError('try again')
      return 'charged'
    },
  })
  const { clock, delays } = recordingClock()
  const model = scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'Done.'])
  const agent = createAgent({ id: 'agent', instructions: '', model, tools: { charge: tool } })
  const handle = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
  expect((await handle.result).steps[0]?.toolResults).toMatchObject([
    { outcome: 'succeeded', value: 'charged' },
  ])
  expect(new Set(keys)).toEqual(new Set([`${handle.id}/agent/call:1.1`]))
  expect(keys).toHaveLength(3)
  expect(delays).toHaveLength(2)
})
