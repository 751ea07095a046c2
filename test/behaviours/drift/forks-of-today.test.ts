/** A fork keeps the structure that its run began with, or takes that of today. */
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type ForkOptions,
  type Store,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls } from '../../support/agents/agents.ts'

type Options = Partial<Parameters<typeof createAgent>[0]>

const tool = (id: string, timeout?: number) =>
  createTool({
    id,
    description: `Does ${id}.`,
    inputSchema: z.object({}),
    execute: () => id,
    ...(timeout === undefined ? {} : { timeout }),
  })

/** `callsFirst`: whether its model makes the call before it answers. */
function desk(options: Options = {}, callsFirst = false) {
  const steps = callsFirst ? [calls({ name: 'look' }), 'Done.'] : ['Done.']
  const model = scriptedModel(steps, { modelId: 'm' })
  const agent = createAgent({
    id: 'desk',
    instructions: 'D',
    model,
    tools: { look: tool('look') },
    ...options,
  })
  return { agent, model }
}

async function ran(): Promise<{ store: Store; runId: string }> {
  const store = memoryStore()
  const { agent } = desk({}, true)
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  await troupe.close()
  return { store, runId: run.id }
}

async function forked(agent: AnyAgent, { store, runId }: { store: Store; runId: string }, fork: ForkOptions) {
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.fork(runId, fork)
  const result = await run.result
  const drift = (await troupe.journal(run.id)).flatMap((entry) =>
    entry.type === 'program.drifted' ? entry.edits.map(({ part }) => part) : [],
  )
  const { result: replayed, diverged } = await troupe.replay(run.id)
  expect(replayed).toEqual(result)
  expect(diverged).toBeUndefined()
  return {
    result,
    drift,
    tools: (model: ReturnType<typeof desk>['model']) => model.calls.at(-1)?.request.tools,
  }
}

const afterFirstCall = 4

test.each<[string, ForkOptions, readonly string[]]>([
  ['the structure of its run', { at: afterFirstCall }, ['look']],
  ['that of today', { at: afterFirstCall, agents: 'today' }, ['look', 'add']],
  ['that of today from the start', { at: 1, agents: 'today' }, ['look', 'add']],
])('a fork takes %s: the tools that its model is offered', async (_name, fork, expected) => {
  const { agent, model } = desk({ tools: { look: tool('look'), add: tool('add') } }, fork.at === 1)
  const { tools, result } = await forked(agent, await ran(), fork)
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(tools(model)?.map(({ name }) => name)).toEqual(expected)
})

test.each<[string, Options]>([
  ['options', { maxSteps: 9 }],
  ['a timeout of a tool', { tools: { look: tool('look', 5_000) } }],
  ['retries', { retries: 5 }],
])('shared entries replay with edited %s, and the fork tells the edit once', async (_name, edit) => {
  const { drift } = await forked(desk(edit).agent, await ran(), { at: afterFirstCall, agents: 'today' })
  expect(drift).toEqual(['structure'])
})

test('without an edit the fork tells none', async () => {
  const { drift } = await forked(desk().agent, await ran(), { at: afterFirstCall, agents: 'today' })
  expect(drift).toEqual([])
})

test('entries that do not fit the structure of today are refused: the error names the edit', async () => {
  const run = await ran()
  const { agent } = desk({ onStepFinish: () => undefined })
  const troupe = createTroupe({ agents: [agent], store: run.store })
  await expect(troupe.fork(run.runId, { at: afterFirstCall, agents: 'today' })).rejects.toMatchObject({
    code: 'JOURNAL_MISMATCH',
    message: expect.stringContaining('structure of "desk"') as string,
  })
})

test('a program that refuses drift refuses no fork that asks for the program of today, and leaves no other', async () => {
  const run = await ran()
  const { agent } = desk({ maxSteps: 9, instructions: 'D!' })
  const troupe = createTroupe({ agents: [agent], store: run.store, onDrift: 'refuse' })
  await expect(troupe.fork(run.runId, { at: afterFirstCall })).rejects.toMatchObject({
    code: 'PROGRAM_CHANGED',
  })
  expect((await troupe.runs()).items).toMatchObject([{ runId: run.runId }])
  const fork = await troupe.fork(run.runId, { at: afterFirstCall, agents: 'today' })
  const result = await fork.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect((await troupe.journal(fork.id))[afterFirstCall]).toMatchObject({
    type: 'program.drifted',
    edits: [
      { agent: 'desk', part: 'instructions' },
      { agent: 'desk', part: 'structure' },
    ],
  })
  expect((await troupe.replay(fork.id)).result).toEqual(result)
})

test('another word than today is refused', async () => {
  const run = await ran()
  const troupe = createTroupe({ agents: [desk().agent], store: run.store })
  await expect(troupe.fork(run.runId, { at: 1, agents: 'tomorrow' as 'today' })).rejects.toThrow("'today'")
})
