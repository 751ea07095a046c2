/** A run on Restate ends when its machine says so: nobody waits for what takes no notice. */
import { z } from 'zod'
import { createAgent, createTool, type ChatModel } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { Desk } from './desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

/** A tool that never ends, whatever it is told. */
function deafTool() {
  const begun = Promise.withResolvers<void>()
  const deaf = createTool({
    id: 'deaf',
    description: 'Never ends.',
    inputSchema: z.object({}),
    execute() {
      begun.resolve()
      return new Promise<string>(() => undefined)
    },
  })
  return { deaf, begun: begun.promise }
}

test('a bail lets go of a tool of the run itself', async () => {
  const { deaf, begun } = deafTool()
  const { agent: quick } = worker('quick', [{ text: 'Here it is.', until: begun }])
  const { agent } = lead('boss', [calls({ name: 'deaf', args: {} }, to('quick', 'Help'))], {
    agents: { quick },
    tools: { deaf },
    delegation: { onDelegationComplete: ({ bail }: { bail(): void }) => bail() },
  })
  const troupe = await desk.troupe(agent)
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'bailed', by: 'quick', text: 'Here it is.' })
  expect((await troupe.replay(run.id)).result).toEqual(result)
})

test('a cancel does not wait for a tool that does not hear of it', async () => {
  const { deaf, begun } = deafTool()
  const { agent } = worker('alone', [calls({ name: 'deaf', args: {} })], { tools: { deaf } })
  const run = await (await desk.troupe(agent)).start(agent, 'Go')
  await begun
  await run.cancel('enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
})

test('a cancel reaches the model of a subagent', async () => {
  const begun = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const model: ChatModel = {
    provider: 'test',
    modelId: 'slow',
    generate(_request, { signal }) {
      signal.addEventListener('abort', () => aborted.resolve(), { once: true })
      begun.resolve()
      return new Promise(() => undefined)
    },
  }
  const helper = createAgent({ id: 'thinker', description: 'Thinks.', instructions: 'Think.', model })
  const { agent } = lead('top', [calls(to('thinker', 'Think'))], { agents: { thinker: helper } })
  const run = await (await desk.troupe(agent)).start(agent, 'Go')
  await begun.promise
  await run.cancel('enough')
  await aborted.promise
  expect(await run.result).toMatchObject({ outcome: 'cancelled', delegations: [{ outcome: 'cancelled' }] })
})

test('an outcome that is too large is an error of its call, and the call is made once', async () => {
  let calls = 0
  const large = createTool({
    id: 'large',
    description: 'Gives too much.',
    inputSchema: z.object({}),
    execute: () => 'x'.repeat(40_000_000 + calls++),
  })
  const { agent } = worker('modest', [{ toolCalls: [{ name: 'large', args: {} }] }, 'Without it.'], {
    tools: { large },
  })
  const result = await (await (await desk.troupe(agent)).start(agent, 'Go')).result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Without it.' })
  expect(result.steps[0]?.toolResults).toMatchObject([
    { outcome: 'failed', error: { code: 'OUTCOME_TOO_LARGE' } },
  ])
  expect(calls).toBe(1)
})
