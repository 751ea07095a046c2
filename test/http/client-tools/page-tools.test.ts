/** Tools of a page over each wire: the model calls them, the page answers, and the answer is durable. */
import { HttpAgent } from '@ag-ui/client'
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithToolCalls } from 'ai'
import { createAgent, createTool, createTroupe, type ClientTool, type Troupe } from 'troupe'
import { createHandler, type Access, type HandlerOptions } from 'troupe/http'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

const where: ClientTool = {
  name: 'whereAmI',
  description: 'Tells where the user is.',
  parameters: {
    type: 'object',
    properties: { precise: { type: 'string', pattern: '^(a+)+$' } },
    required: ['precise'],
  },
}

const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({}),
  execute: () => 'seen',
})

function open(options: Partial<HandlerOptions> = {}, clientTools: Access['clientTools'] = 'all') {
  const model = scriptedModel([
    {
      text: 'One moment.',
      toolCalls: [
        { name: 'look', args: {} },
        { name: 'whereAmI', args: { precise: `${'a'.repeat(40)}!` } },
      ],
    },
    'You are in Bergen.',
  ])
  const agent = createAgent({ id: 'a', model, tools: { look } })
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler(troupe, {
    agents: [agent],
    authorize: () => ({ resource: null, by: 'ann', clientTools }),
    ...options,
  })
  const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init))
  return { model, troupe, fetch }
}

async function answersOf(troupe: Troupe, runId: string) {
  const answers = []
  for await (const event of troupe.watch(runId)) {
    if (event.type === 'tool-call-answered') answers.push(event.payload)
  }
  return answers
}

test('a page of useChat performs the calls of its own tools, and the run goes on with their results', async () => {
  const { model, troupe, fetch } = open({ wire: 'ai-sdk' })
  const asked: unknown[] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const chat = new Chat({
    id: 'c',
    transport: new DefaultChatTransport({
      api: 'http://p.test/agents/a/chat',
      fetch,
      body: { tools: [where] },
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall }) {
      if (toolCall.dynamic === true) return
      asked.push([toolCall.toolName, toolCall.input])
      const { toolName: tool, toolCallId } = toolCall
      void chat.addToolOutput({ tool, toolCallId, output: { city: 'Bergen' } })
    },
    onFinish: ({ message }) => {
      if (message.parts.some((part) => part.type === 'text' && part.text.includes('Bergen'))) resolve()
    },
  })
  await chat.sendMessage({ text: 'Where am I?' })
  await done
  expect(chat.error).toBeUndefined()
  expect(asked).toEqual([['whereAmI', { precise: `${'a'.repeat(40)}!` }]])
  const message = chat.messages.at(-1)
  expect(message?.parts.filter(isToolUIPart)).toMatchObject([
    { type: 'dynamic-tool', toolName: 'look', output: 'seen' },
    { type: 'tool-whereAmI', state: 'output-available', output: { city: 'Bergen' } },
  ])
  expect(chat.messages).toHaveLength(2)
  const last = model.calls.at(-1)?.request
  expect(last?.tools.map(({ name }) => name)).toEqual(['look', 'whereAmI'])
  expect(JSON.stringify(last?.messages)).toContain('{\\"city\\":\\"Bergen\\"}')
  expect(await answersOf(troupe, message?.id ?? '')).toMatchObject([
    { toolName: 'whereAmI', type: 'suspension', by: 'ann', data: { city: 'Bergen' } },
  ])
  await troupe.close()
})

test('a page of AG-UI answers its own calls by messages of tools, beside those of the server', async () => {
  const { model, troupe, fetch } = open({ wire: 'ag-ui' })
  const page = new HttpAgent({ url: 'http://p.test/agents/a/run', fetch, threadId: 't' })
  page.addMessage({ id: 'u1', role: 'user', content: 'Where am I?' })
  const tools = [{ ...where, description: where.description ?? '' }]
  await page.runAgent({ runId: 'r', tools })
  expect(page.pendingInterrupts).toEqual([])
  const calls = page.messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  )
  const call = calls.find(({ function: { name } }) => name === 'whereAmI')
  expect(page.messages.filter(({ role }) => role === 'tool')).toMatchObject([{ content: 'seen' }])
  page.addMessage({ id: 'x1', role: 'tool', toolCallId: call?.id ?? '', content: '{"city":"Bergen"}' })
  const again = page.clone()
  await page.runAgent({ runId: 'r-2', tools })
  expect(page.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'You are in Bergen.' })
  expect(page.messages.filter(({ role }) => role === 'tool')).toHaveLength(2)
  expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain('{\\"city\\":\\"Bergen\\"}')
  expect(await answersOf(troupe, 'r')).toMatchObject([{ by: 'ann', data: '{"city":"Bergen"}' }])
  // The answer was lost on its way: the page sends its results again.
  await again.runAgent({ runId: 'r-3', tools })
  expect(again.messages.at(-1)).toMatchObject({ content: 'You are in Bergen.' })
  expect(model.calls).toHaveLength(2)
  await troupe.close()
})

test('a page of the library brings tools with its start, and resumes their calls', async () => {
  const { troupe, fetch } = open()
  const send = (path: string, body: object) =>
    fetch(`http://p.test${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const { runId } = (await (await send('/agents/a/runs', { prompt: 'Go', tools: [where] })).json()) as {
    readonly runId: string
  }
  await expect.poll(async () => (await troupe.awaiting({ runId })).items).toHaveLength(1)
  const [question] = (await troupe.awaiting({ runId })).items
  const { toolCallId } = question ?? {}
  expect(question).toMatchObject({
    toolName: 'whereAmI',
    type: 'suspension',
    payload: { precise: expect.any(String) },
  })
  expect((await send(`/runs/${runId}/answers`, { type: 'resume', toolCallId, data: 'Bergen' })).status).toBe(
    204,
  )
  await expect
    .poll(async () => (await troupe.runs({ runId })).items)
    .toMatchObject([{ outcome: 'completed' }])
  await troupe.close()
})

test.each([
  ['none is allowed', [], []],
  ['another is allowed', ['pick'], []],
  ['it is allowed by name', ['whereAmI'], ['whereAmI']],
] as const)('the model is offered a tool of the page as authorize says: %s', async (_, allowed, offered) => {
  const { model, troupe, fetch } = open({ wire: 'ai-sdk' }, allowed)
  const body = {
    id: 'c',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
    tools: { whereAmI: { description: where.description, parameters: where.parameters } },
  }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch('http://p.test/agents/a/chat', {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['look', ...offered])
  await troupe.close()
})

test.each([
  ['a name that no tool may have', { name: 'a b' }],
  ['a name that is reserved', { name: 'agent-x' }],
  ["the name of a tool of the agent's own", { name: 'look' }],
  ['a schema that is no object', { name: 'x', parameters: { type: 'string' } }],
  ['a schema that is too large', { name: 'x', parameters: { description: 'x'.repeat(40_000) } }],
  ['a description that is too long', { name: 'x', description: 'x'.repeat(5_000) }],
  ['no name', { description: 'x' }],
])('a tool of a page is refused with the status 400: %s', async (_, tool) => {
  const { model, troupe, fetch } = open({ wire: 'ag-ui' })
  const response = await fetch('http://p.test/agents/a/run', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'u', role: 'user', content: 'Go' }],
      tools: [tool],
    }),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect(model.calls).toEqual([])
  await troupe.close()
})

const pick: ClientTool = { name: 'pick', description: 'Lets the user pick.' }
const both: ScriptedStep = {
  toolCalls: [
    { name: 'pick', args: {} },
    { name: 'whereAmI', args: { precise: 'no' } },
  ],
}

function chatWith(script: readonly ScriptedStep[]) {
  const model = scriptedModel(script)
  const agent = createAgent({ id: 'a', model })
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler(troupe, {
    agents: [agent],
    wire: 'ai-sdk',
    authorize: () => ({ resource: null, clientTools: ['pick', 'whereAmI'] }),
  })
  const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init))
  const api = 'http://p.test/agents/a/chat'
  const transport = new DefaultChatTransport({ api, fetch, body: { tools: [pick, where] } })
  return { model, troupe, transport }
}

test('a page of useChat answers the call of a later run that has the place of an earlier call', async () => {
  const asks = { toolCalls: [{ name: 'pick', args: {} }] }
  const { troupe, transport } = chatWith([asks, 'First.', asks, 'Second.'])
  const ended = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const chat = new Chat({
    id: 'c',
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall: { toolName: tool, toolCallId } }) {
      void chat.addToolOutput({ tool, toolCallId, output: 'red' })
    },
    onFinish: ({ message }) => {
      for (const [index, text] of ['First.', 'Second.'].entries()) {
        if (message.parts.some((part) => part.type === 'text' && part.text === text)) ended[index]?.resolve()
      }
    },
  })
  for (const { promise } of ended) {
    await chat.sendMessage({ text: 'Go' })
    await promise
  }
  const parts = chat.messages.flatMap((message) => message.parts.filter(isToolUIPart))
  expect(parts.map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  expect(new Set(parts.map(({ toolCallId }) => toolCallId)).size).toBe(2)
  await troupe.close()
})

test('the model calls two tools of a page at once, and goes on when it has both results', async () => {
  const { model, troupe, transport } = chatWith([both, 'Done.'])
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const chat = new Chat({
    id: 'c',
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall: { toolName: tool, toolCallId } }) {
      void chat.addToolOutput({ tool, toolCallId, output: `of ${tool}` })
    },
    onFinish: ({ message }) => {
      if (message.parts.some((part) => part.type === 'text')) resolve()
    },
  })
  await chat.sendMessage({ text: 'Go' })
  await done
  expect(chat.error).toBeUndefined()
  expect(model.calls).toHaveLength(2)
  expect(model.calls.at(-1)?.request.messages.slice(-2)).toMatchObject([
    { role: 'tool', content: 'of pick' },
    { role: 'tool', content: 'of whereAmI' },
  ])
  await troupe.close()
})

test('a message in the place of a result starts a run of its own, and the call waits on', async () => {
  const { model, troupe, transport } = chatWith([both, 'Never mind.'])
  const chat = new Chat({ id: 'c', transport })
  await chat.sendMessage({ text: 'Go' })
  await chat.sendMessage({ text: 'Something else' })
  expect(chat.error).toBeUndefined()
  expect(chat.messages.at(-1)?.parts).toContainEqual(
    expect.objectContaining({ type: 'text', text: 'Never mind.' }),
  )
  expect(model.calls.at(-1)?.request.messages).toMatchObject([
    { role: 'user', content: 'Go' },
    { role: 'user', content: 'Something else' },
  ])
  expect((await troupe.awaiting()).items.map(({ toolName }) => toolName)).toEqual(['pick', 'whereAmI'])
  await troupe.close()
})
