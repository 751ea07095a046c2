/** The async contexts of functions on a worker: that of the execution of their workflow, and never that of a client or of another run. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createTool } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Desk } from '../crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

test('no function sees the context of a client, of another run, or of the function before it', async () => {
  const user = new AsyncLocalStorage<string>()
  const seen: string[] = []
  const sees = (where: string, runId: string): void => {
    seen.push(`${where} ${user.getStore() ?? 'nobody'}`)
    user.enterWith(runId)
  }
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: (_input, { runId }) => {
      sees('tool', runId)
      return 'seen'
    },
  })
  const scout = worker('scout', [], {
    tools: { look },
    otherwise: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Scouted.' : calls({ name: 'look' })),
  })
  const { agent } = lead('top', [], {
    agents: { scout: scout.agent },
    otherwise: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : calls(to('scout', 'Look'))),
    delegation: { onDelegationStart: ({ runId }) => sees('hook', runId) },
  })
  const troupe = await desk.troupe(agent)
  const budget = { modelCalls: 100 }
  const texts = await Promise.all(
    ['ann', 'bob'].map((name) =>
      user.run(name, async () => {
        const run = await troupe.start(agent, 'Go', { budget })
        return (await run.result).text
      }),
    ),
  )
  expect(texts).toEqual(['Done.', 'Done.'])
  expect(seen.toSorted()).toEqual(['hook nobody', 'hook nobody', 'tool nobody', 'tool nobody'])
})
