import { assign, type AnyActorRef, fromCallback, fromPromise, setup, type InspectionEvent } from 'xstate'
import { expect, test, vi } from 'vitest'
import { createAgent, createTroupe, createWorkflow } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const order = setup({
  types: {
    input: {} as { item: string },
    context: {} as { item: string; price: number },
    output: {} as { total: number },
  },
  actors: { price: fromPromise<number, { item: string }>(async ({ input }) => input.item.length) },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, price: 0 }),
  initial: 'pricing',
  output: ({ context }) => ({ total: context.price * 2 }),
  states: {
    pricing: {
      invoke: {
        src: 'price',
        id: 'price',
        input: ({ context }) => ({ item: context.item }),
        onDone: { target: 'priced', actions: assign({ price: ({ event }) => event.output }) },
      },
    },
    priced: { type: 'final' },
  },
})

const inputSchema = z.object({ item: z.string() })
const describe = { description: 'Orders an item.', inputSchema }
const calls = (args: { item: string }) => ({ toolCalls: [{ name: 'order', args }] })

function buyer(
  workflow: Parameters<typeof createAgent>[0]['workflows'],
  steps = [calls({ item: 'lamp' }), 'Done.'],
) {
  const model = scriptedModel(steps)
  return {
    model,
    agent: createAgent({ id: 'buyer', instructions: '', model, ...(workflow && { workflows: workflow }) }),
  }
}

test('a machine runs as one effect in a system of its own; the model gets what it ends with', async () => {
  const { agent, model } = buyer({ order: createWorkflow({ id: 'order', ...describe, logic: order }) })
  const seen: InspectionEvent[] = []
  const troupe = createTroupe({ agents: [agent], inspect: (event) => void seen.push(event) })
  const run = await troupe.start(agent, 'Buy a lamp')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(model.calls[1]?.request.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"total":8}' })
  expect((await troupe.journal(run.id)).filter((entry) => entry.type === 'effect.settled')).toHaveLength(3)

  // Its actors are shown to the inspector, in a system other than the run's.
  const workflowActors = seen.filter(
    (event) => event.rootId !== run.actor.sessionId || event.actorRef === undefined,
  )
  const ids = seen.flatMap((event) =>
    event.type === '@xstate.actor' ? [(event.actorRef as AnyActorRef).id] : [],
  )
  expect(ids).toContain(`${run.id}/buyer/call:1.1`)
  expect(ids).toContain('price')
  expect(workflowActors.length).toBeGreaterThan(0)

  const before = seen.length
  expect((await troupe.replay(run.id)).result).toEqual(result)
  expect(seen).toHaveLength(before)
})

test('arguments are checked before it starts', async () => {
  let started = 0
  const logic = fromPromise<string, { item: string }>(async () => `${++started}`)
  const { agent, model } = buyer({ order: createWorkflow({ id: 'order', ...describe, logic }) }, [
    { toolCalls: [{ name: 'order', args: { item: 3 as never } }] },
    'Done.',
  ])
  await agent.generate('Go')
  expect(started).toBe(0)
  expect(model.calls[1]?.request.messages.at(-1)).toMatchObject({ content: expect.stringContaining('item') })
})

test('a workflow that throws fails its call, and the model learns only that', async () => {
  const logic = fromPromise<string, { item: string }>(async () => {
    throw new Error('the secret price')
  })
  const { agent, model } = buyer({ order: createWorkflow({ id: 'order', ...describe, logic }) })
  const result = await agent.generate('Go')
  expect(result.steps[0]?.toolResults).toMatchObject([
    { outcome: 'failed', error: { message: 'the secret price' } },
  ])
  expect(model.calls[1]?.request.messages.at(-1)).toMatchObject({
    content: '{"error":"The tool \\"order\\" failed."}',
  })
})

test('a machine without an end is stopped at its timeout', async () => {
  const logic = fromCallback<{ type: 'never' }, { item: string }>(() => undefined)
  const { agent } = buyer({ order: createWorkflow({ id: 'order', ...describe, logic, timeout: 1 }) })
  const result = await agent.generate('Go')
  expect(result.steps[0]?.toolResults).toMatchObject([{ error: { code: 'TOOL_TIMEOUT' } }])
})

test('cancelling the run stops it', async () => {
  const stopped = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const logic = fromCallback<{ type: 'never' }, { item: string }>(() => {
    started.resolve()
    return () => stopped.resolve()
  })
  const { agent } = buyer({ order: createWorkflow({ id: 'order', ...describe, logic }) })
  const run = agent.stream('Go')
  await started.promise
  await run.cancel('enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
  await stopped.promise
})

test('an inspector that throws disturbs neither the run nor the workflow, and is logged once', async () => {
  using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const { agent } = buyer({ order: createWorkflow({ id: 'order', ...describe, logic: order }) })
  const troupe = createTroupe({
    agents: [agent],
    inspect: () => {
      throw new Error('no')
    },
  })
  const run = await troupe.start(agent, 'Go')
  expect((await run.result).outcome).toBe('completed')
  expect(log.mock.calls.map(([message]) => message as string)).toEqual([
    'troupe: an inspector threw; the same error is not reported again',
  ])
})

test.each<[string, () => unknown, string]>([
  [
    'no logic',
    () => createWorkflow({ id: 'w', ...describe, logic: {} as never }),
    'logic must be XState logic',
  ],
  [
    'a timeout of 0',
    () => createWorkflow({ id: 'w', ...describe, logic: order, timeout: 0 }),
    'timeout must be a positive number of milliseconds, not 0',
  ],
  [
    'a workflow among the tools by the same name',
    () => {
      const workflow = createWorkflow({ id: 'w', ...describe, logic: order })
      return createAgent({
        id: 'a',
        instructions: '',
        model: scriptedModel([]),
        tools: { w: workflow },
        workflows: { w: workflow },
      })
    },
    'a tool and a workflow are both named "w"',
  ],
])('%s is a ConfigurationError', (_what, create, message) => {
  expect(create).toThrow(message)
})
