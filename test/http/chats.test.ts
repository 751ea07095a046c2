/** What a chat says again in its next turn, and what a page does beside reading: answers of suspended calls, and cancels. */
import { HttpAgent } from '@ag-ui/client'
import { Chat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithToolCalls,
  streamText,
} from 'ai'
import {
  createAgent,
  createTool,
  createTroupe,
  RetryableError,
  type AnyAgent,
  type ChatModel,
  type ModelRequest,
  type OutputProcessor,
} from 'troupe'
import { toLanguageModel } from 'troupe/ai-sdk'
import { createHandler, type HandlerOptions } from 'troupe/http'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

const secret = 'The password is hunter2.'

const guard: OutputProcessor = {
  id: 'guard',
  processOutputStream: () => undefined,
  processOutput({ text, abort }) {
    if (text.includes('password')) abort('No secrets.', { retry: true })
  },
}

/** By what the first text of a conversation does not come to be the assistant's. */
type Way = 'refused' | 'cut'

/** Its first reply is refused, or cut, and all others stand. */
function careless(way: Way) {
  const requests: ModelRequest[] = []
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const model: ChatModel = {
    provider: 'test',
    modelId: 'careless',
    async generate(request, { onDelta }) {
      requests.push(request)
      const text = requests.length === 1 ? secret : 'Hello.'
      onDelta?.({ type: 'text', text })
      if (requests.length === 1 && way === 'cut') throw new RetryableError('Cut.', { retryAfterMs: 1 })
      return { text, toolCalls: [], finishReason: 'stop', usage }
    },
  }
  const processors = way === 'refused' ? { outputProcessors: [guard] } : {}
  return { agent: createAgent({ id: 'a', model, ...processors }), requests }
}

function serve(agent: AnyAgent, options: Partial<HandlerOptions> = {}) {
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler(troupe, { authorize: 'everybody', agents: [agent], ...options })
  const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init))
  return { troupe, fetch }
}

type Say = (text: string) => Promise<unknown>

/** A page, or a program, that says two things in one conversation. */
const pages: Readonly<Record<string, (agent: AnyAgent) => { say: Say; close: () => Promise<unknown> }>> = {
  useChat(agent) {
    const { troupe, fetch } = serve(agent, { wire: 'ai-sdk' })
    const api = 'http://p.test/agents/a/chat'
    const chat = new Chat({ id: 'c', transport: new DefaultChatTransport({ api, fetch }) })
    return { say: (text) => chat.sendMessage({ text }), close: () => troupe.close() }
  },
  'AG-UI'(agent) {
    const { troupe, fetch } = serve(agent, { wire: 'ag-ui' })
    const page = new HttpAgent({ url: 'http://p.test/agents/a/run', fetch })
    const say: Say = (text) => {
      page.addMessage({ id: text, role: 'user', content: text })
      return page.runAgent()
    }
    return { say, close: () => troupe.close() }
  },
  'streamText over toLanguageModel'(agent) {
    const model = toLanguageModel(agent)
    const messages: NonNullable<Parameters<typeof streamText>[0]['messages']> = []
    const say: Say = async (content) => {
      messages.push({ role: 'user', content })
      const result = streamText({ model, messages })
      await result.consumeStream()
      messages.push(...(await result.finalStep).response.messages)
    }
    return { say, close: async () => undefined }
  },
}

const cases = Object.keys(pages).flatMap((page) =>
  (['refused', 'cut'] as const).map((way) => [page, way] as const),
)

test.each(cases)("%s: a text that was %s is not the assistant's in the next turn", async (name, way) => {
  const { agent, requests } = careless(way)
  const page = pages[name]?.(agent)
  await page?.say('One')
  await page?.say('Two')
  const said = requests.at(-1)?.messages.filter(({ role }) => role !== 'system')
  expect(said?.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'One'],
    ['assistant', 'Hello.'],
    ['user', 'Two'],
  ])
  await page?.close()
})

test.each(Object.keys(pages))('%s: the texts of two steps are two texts in the next turn', async (name) => {
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({}),
    execute: () => 'seen',
  })
  const model = scriptedModel([
    { text: 'I look.', toolCalls: [{ name: 'look', args: {} }] },
    'It is there.',
    'Yes.',
  ])
  const page = pages[name]?.(createAgent({ id: 'a', model, tools: { look } }))
  await page?.say('One')
  await page?.say('Two')
  const said = model.calls.at(-1)?.request.messages.filter(({ role }) => role !== 'system')
  expect(said?.map(({ content }) => content)).toEqual(['One', 'I look.', 'It is there.', 'Two'])
  await page?.close()
})

const ask = createTool({
  id: 'ask',
  description: 'Asks twice.',
  inputSchema: z.object({ about: z.string() }),
  execute({ about }, { suspend, answers }) {
    const [first, second] = answers
    if (first === undefined) return suspend({ question: `Which ${about}?` })
    return second === undefined ? suspend({ question: 'Sure?' }) : [first.data, second.data]
  },
})

test('a page of useChat answers a call that is suspended twice, and an answer that it sends again answers nothing else', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'ask', args: { about: 'train' } }] }, 'Booked.'])
  const { troupe, fetch } = serve(createAgent({ id: 'a', model, tools: { ask } }), { wire: 'ai-sdk' })
  const bodies: string[] = []
  const chat = new Chat({
    id: 'c',
    transport: new DefaultChatTransport({
      api: 'http://p.test/agents/a/chat',
      fetch(url, init) {
        if (typeof init?.body === 'string') bodies.push(init.body)
        return fetch(url, init)
      },
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  })
  const call = () => chat.messages.at(-1)?.parts.find(isToolUIPart)
  const question = () => {
    const part = chat.messages.at(-1)?.parts.find(({ type }) => type === 'data-question')
    return part !== undefined && 'data' in part ? part.data : undefined
  }
  const answer = async (output: string) =>
    chat.addToolOutput({ tool: 'ask', toolCallId: call()?.toolCallId ?? '', output })
  await chat.sendMessage({ text: 'Book' })
  expect(question()).toMatchObject({ suspendPayload: { question: 'Which train?' } })
  await answer('IC 17')
  await expect.poll(() => question()).toMatchObject({ suspendPayload: { question: 'Sure?' } })
  await expect.poll(() => chat.status).toBe('ready')
  expect(call()).toMatchObject({ state: 'input-available', input: { about: 'train' } })
  const again = await fetch('http://p.test/agents/a/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: bodies.at(-1) ?? '',
  })
  expect(again.status).toBe(409)
  await answer('Yes')
  await expect
    .poll(() => chat.messages.at(-1)?.parts.some((part) => part.type === 'text' && part.text === 'Booked.'))
    .toBe(true)
  expect(call()).toMatchObject({ state: 'output-available', output: ['IC 17', 'Yes'] })
  expect(chat.error).toBeUndefined()
  await troupe.close()
})

test('a page that says that it cannot perform a call is read as a denial with its reason', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'locate', args: {} }] }, 'I do without.'])
  const agent = createAgent({ id: 'a', model })
  const { troupe, fetch } = serve(agent, {
    wire: 'ai-sdk',
    authorize: () => ({ resource: null, clientTools: ['locate'] }),
  })
  const chat = new Chat({
    id: 'c',
    transport: new DefaultChatTransport({
      api: 'http://p.test/agents/a/chat',
      fetch,
      body: { tools: [{ name: 'locate' }] },
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall: { toolCallId } }) {
      void chat.addToolOutput({ state: 'output-error', tool: 'locate', toolCallId, errorText: 'No GPS.' })
    },
  })
  await chat.sendMessage({ text: 'Where?' })
  await expect.poll(() => model.calls.length).toBe(2)
  await expect.poll(() => chat.status).toBe('ready')
  expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain('No GPS.')
  expect(chat.messages.at(-1)?.parts.find(isToolUIPart)).toMatchObject({
    type: 'tool-locate',
    state: 'output-error',
  })
  await troupe.close()
})

test.each([
  ['ai-sdk', 'chat', { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go' }] }] }],
  ['ag-ui', 'threads', { threadId: 'c', runId: 'r', messages: [{ role: 'user', content: 'Go' }] }],
] as const)('the stop button of a page cancels the run of its chat: %s', async (wire, path, body) => {
  const agent = createAgent({ id: 'a', model: scriptedModel([{ hang: true }]) })
  const { troupe, fetch } = serve(agent, {
    wire,
    authorize: (request, { right }) =>
      right === 'cancel' && request.headers.get('x-user') !== 'ann' ? false : { resource: null },
  })
  const send = (to: string, json: object, user = 'ann') =>
    fetch(`http://p.test/agents/a/${to}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': user },
      body: JSON.stringify(json),
    })
  const stream = await send(wire === 'ai-sdk' ? 'chat' : 'run', body)
  await stream.body?.cancel()
  expect((await troupe.runs()).items).toMatchObject([{ status: 'running' }])
  expect((await send(`${path}/other/cancel`, {})).status).toBe(204)
  expect((await send(`${path}/c/cancel`, { because: 'x' })).status).toBe(400)
  expect((await send(`${path}/c/cancel`, {}, 'ben')).status).toBe(403)
  expect((await troupe.runs()).items).toMatchObject([{ status: 'running' }])
  expect((await send(`${path}/c/cancel`, { reason: 'stopped' })).status).toBe(204)
  await expect.poll(async () => (await troupe.runs()).items).toMatchObject([{ outcome: 'cancelled' }])
  expect((await send(`${path}/c/cancel`, {})).status).toBe(204)
  await troupe.close()
})
