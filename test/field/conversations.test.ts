/** What runs, threads and subagents keep to. The source of each case is a public thread, `repo#number`. */
import { createTool, createTroupe, memoryStore, textOf, type Message, type Troupe } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, shown, to, toldOfCalls, worker } from '../support/agents/agents.ts'

const use = (name: string) => ({ name, args: {} })
const plain = (id: string, execute: () => Promise<unknown>) =>
  createTool({ id, description: `Does ${id}.`, inputSchema: z.object({}), execute })
const memory = { lastMessages: 20 }
const inThread = { threadId: 'T', resourceId: 'R' }
const said = (messages: readonly Message[]) =>
  messages.map(({ role, content }) => `${role}: ${textOf(content)}`)

/** A tool that works until its signal fires. */
function endless() {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  const tool = createTool({
    id: 'endless',
    description: 'Works.',
    inputSchema: z.object({}),
    execute: async (_input, { signal }) => {
      begun.resolve()
      const aborted = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => aborted.resolve())
      await aborted.promise
      ended.resolve(signal.reason)
      signal.throwIfAborted()
    },
  })
  return { tool, begun: begun.promise, ended: ended.promise }
}

test('an abort reaches a tool three levels down, and no model is called after it (mastra-ai/mastra#14820)', async () => {
  const { tool, begun, ended } = endless()
  const leaf = worker('leaf', [calls(use('endless'))], { tools: { endless: tool } })
  const middle = lead('middle', [calls(to('leaf', 'Go'))], { agents: { leaf: leaf.agent } })
  const top = lead('top', [calls(to('middle', 'Go'))], { agents: { middle: middle.agent } })
  const controller = new AbortController()
  const run = top.agent.stream('Go', { signal: controller.signal })
  await begun
  controller.abort()
  expect((await run.result).outcome).toBe('cancelled')
  await ended
  expect([leaf, middle, top].map(({ model }) => model.calls.length)).toEqual([1, 1, 1])
})

test('an approval beside a plain call: the next request has both results (openai/openai-agents-python#3004)', async () => {
  const approved = createTool({
    id: 'careful',
    description: 'Is asked for.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: async () => 'C',
  })
  const { agent, model } = worker('solo', [calls(use('plain'), use('careful')), 'Done.'], {
    tools: { plain: plain('plain', async () => 'P'), careful: approved },
  })
  const store = memoryStore()
  const first = createTroupe({ agents: [agent], store })
  const run = await first.start(agent, 'Go')
  await run.whenIdle
  await first.close()
  const second = createTroupe({ agents: [agent], store })
  const resumed = await second.resume(run.id)
  for (const { toolCallId } of await questions(second))
    await second.signal(run.id, { type: 'approve', toolCallId })
  expect((await resumed.result).outcome).toBe('completed')
  expect(toldOfCalls(model, 2)).toEqual(['P', 'C'])
  await second.close()
})

async function questions(troupe: Pick<Troupe, 'awaiting'>) {
  return (await troupe.awaiting()).items
}

test('runs of one thread at once: each exchange stands whole (mastra-ai/mastra#21906)', async () => {
  const { agent } = worker('solo', [], { memory, otherwise: 'Answer.' })
  const troupe = createTroupe({ agents: [agent] })
  const runs = await Promise.all(['A', 'B', 'C'].map((prompt) => troupe.start(agent, prompt, inThread)))
  await Promise.all(runs.map((run) => run.result))
  const messages = said(await troupe.memory.messages('T'))
  expect(messages.filter((_, index) => index % 2 === 1)).toEqual([
    'assistant: Answer.',
    'assistant: Answer.',
    'assistant: Answer.',
  ])
  expect(messages.filter((_, index) => index % 2 === 0).toSorted()).toEqual(['user: A', 'user: B', 'user: C'])
  await troupe.close()
})

test('a window of messages has no result without its call (n8n-io/n8n#34166)', async () => {
  const { agent, model } = worker('solo', [], {
    memory: { lastMessages: 3 },
    tools: { look: plain('look', async () => 'seen') },
    otherwise: ({ messages }) =>
      messages.at(-1)?.role === 'user' ? calls(use('look'), use('look')) : 'Done.',
  })
  const troupe = createTroupe({ agents: [agent] })
  for (const prompt of ['1', '2', '3', '4']) await (await troupe.start(agent, prompt, inThread)).result
  expect(model.calls).toHaveLength(8)
  for (const { request } of model.calls) {
    const asked = request.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    )
    const answered = request.messages.flatMap((message) =>
      message.role === 'tool' ? [message.toolCallId] : [],
    )
    expect(answered).toEqual(asked)
  }
  await troupe.close()
})

test.each([1, 2, 3, 4, 5])(
  'a window of %i messages begins with the user (langgenius/dify#12340)',
  async (lastMessages) => {
    const { agent, model } = worker('solo', [], { memory: { lastMessages }, otherwise: 'Yes.' })
    const troupe = createTroupe({ agents: [agent] })
    for (const prompt of ['1', '2', '3', '4']) await (await troupe.start(agent, prompt, inThread)).result
    for (const { request } of model.calls)
      expect(request.messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user'])
    expect(said(shown(model, 4)).slice(1)).toEqual(
      [
        'user: 1',
        'assistant: Yes.',
        'user: 2',
        'assistant: Yes.',
        'user: 3',
        'assistant: Yes.',
        'user: 4',
      ].slice(-(lastMessages - (lastMessages % 2)) - 1),
    )
    await troupe.close()
  },
)

test('three turns of a thread are six messages (NousResearch/hermes-agent#101644)', async () => {
  const { agent } = worker('solo', [], { memory, otherwise: 'Yes.' })
  const troupe = createTroupe({ agents: [agent] })
  for (const prompt of ['1', '2', '3']) await (await troupe.start(agent, prompt, inThread)).result
  expect(await troupe.memory.messages('T')).toHaveLength(6)
  await troupe.close()
})

test('a deleted thread is unknown to the next turn (VoltAgent/voltagent#1148)', async () => {
  const { agent, model } = worker('solo', [], { memory, otherwise: 'Yes.' })
  const troupe = createTroupe({ agents: [agent] })
  await (
    await troupe.start(agent, 'I am Zed.', inThread)
  ).result
  await troupe.memory.deleteThread('T')
  await (
    await troupe.start(agent, 'Who am I?', inThread)
  ).result
  expect(said(shown(model, 2)).slice(1)).toEqual(['user: Who am I?'])
  await troupe.close()
})

test('usage counts each model of the tree once (kagent-dev/kagent#946)', async () => {
  const leaf = worker('leaf', ['Leaf.'])
  const middle = lead('middle', [calls(to('leaf', 'Go')), 'Middle.'], { agents: { leaf: leaf.agent } })
  const top = lead('top', [calls(to('middle', 'Go')), 'Top.'], { agents: { middle: middle.agent } })
  const { usage } = await top.agent.generate('Go')
  const each = Object.values(usage.byAgent ?? {})
  expect(Object.keys(usage.byAgent ?? {}).toSorted()).toEqual(['leaf', 'middle', 'top'])
  expect(usage.totalTokens).toBe(each.reduce((sum, { totalTokens }) => sum + totalTokens, 0))
})

test('results stand in the order of their calls, whichever ends first (google/adk-js#769)', async () => {
  const quick = Promise.withResolvers<void>()
  const { agent, model } = worker('solo', [calls(use('slow'), use('quick')), 'Done.'], {
    tools: {
      slow: plain('slow', async () => {
        await quick.promise
        return 'S'
      }),
      quick: plain('quick', async () => {
        quick.resolve()
        return 'Q'
      }),
    },
  })
  await agent.generate('Go')
  expect(toldOfCalls(model, 2)).toEqual(['S', 'Q'])
})

test('one call of three fails: the others are kept, and the model is told of each (dust-tt/dust#5041)', async () => {
  const { agent, model } = worker('solo', [calls(use('good'), use('bad'), use('good')), 'Done.'], {
    tools: {
      good: plain('good', async () => 'G'),
      bad: plain('bad', async () => {
        throw new Error('no')
      }),
    },
  })
  expect((await agent.generate('Go')).outcome).toBe('completed')
  expect(toldOfCalls(model, 2)).toEqual(['G', expect.stringContaining('error'), 'G'])
})

test('the text of a run is that of its root alone (google/adk-python#4152)', async () => {
  const leaf = worker('leaf', ['Inner words.'])
  const top = lead('top', [calls(to('leaf', 'Go')), 'Outer words.'], { agents: { leaf: leaf.agent } })
  let text = ''
  for await (const piece of top.agent.stream('Go').textStream) text += piece
  expect(text).toBe('Outer words.')
})

test('an approval beside a handoff comes before it (openai/openai-agents-js#1768)', async () => {
  let paid = 0
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: async () => ++paid,
  })
  const next = worker('next', ['From the next.'])
  const first = worker('first', [calls(use('pay'), use('transfer-to-next'))], {
    tools: { pay },
    handoffs: [next.agent],
  })
  const troupe = createTroupe({ agents: [first.agent, next.agent] })
  const run = await troupe.start(first.agent, 'Go')
  await run.whenIdle
  expect(next.model.calls).toHaveLength(0)
  for (const { toolCallId } of await questions(troupe)) await run.signal({ type: 'approve', toolCallId })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'From the next.' })
  expect(paid).toBe(1)
  await troupe.close()
})
