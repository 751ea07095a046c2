/** On Restate too, nothing of the user's that hangs holds a run: the deadline is kept within the durable step. */
import { createTool } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const never = (): Promise<never> => new Promise(() => undefined)

test('a tool and an observer that hang are let go of, and their timeouts are on record', async () => {
  const signals: AbortSignal[] = []
  const act = createTool({
    id: 'act',
    description: 'Acts.',
    inputSchema: z.object({}),
    timeout: 50,
    execute: (_, { signal }) => {
      signals.push(signal)
      return never()
    },
  })
  const { agent } = worker('slow', [calls({ name: 'act', args: {} }), 'Done.'], {
    tools: { act },
    hookTimeout: 50,
    onFinish: never,
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  expect(await run.result).toMatchObject({
    outcome: 'completed',
    text: 'Done.',
    steps: [{ toolResults: [{ outcome: 'failed', error: { code: 'TOOL_TIMEOUT' } }] }, {}],
  })
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})
