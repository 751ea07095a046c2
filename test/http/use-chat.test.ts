// @vitest-environment happy-dom
/** Behaviour 85, the wire of `useChat`: the hook of the AI SDK talks to a handler, and its reader takes every chunk. */
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { act, createElement, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { createTroupe } from 'troupe'
import { createHandler } from 'troupe/http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deskAgent } from './support/desk.ts'

type Chat = ReturnType<typeof useChat>

let root: Root

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  root = createRoot(document.createElement('div'))
})

afterEach(async () => {
  await act(async () => root.unmount())
  vi.unstubAllGlobals()
})

/** A server, and a page that may be opened any number of times. */
function openServer() {
  const agent = deskAgent()
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler(troupe, { authorize: 'everybody', agents: [agent], wire: 'ai-sdk' })
  const requests: string[] = []
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { signal: _signal, ...rest } = init ?? {}
    const request = new Request(url, rest)
    requests.push(`${request.method} ${new URL(request.url).pathname}`)
    return handler(request)
  }
  const transport = new DefaultChatTransport({ api: 'http://server.test/agents/desk/chat', fetch })
  async function open(messages: UIMessage[] = [], isResumed = false): Promise<() => Chat> {
    let chat: Chat | undefined
    function Page(): ReactNode {
      chat = useChat({
        id: 'c1',
        messages,
        transport,
        resume: isResumed,
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      })
      return chat.status
    }
    root = createRoot(document.createElement('div'))
    await act(async () => root.render(createElement(Page)))
    return () => {
      if (chat === undefined) throw new Error('The page has not been drawn.')
      return chat
    }
  }
  return { troupe, handler, requests, open }
}

async function until(isSo: () => boolean): Promise<void> {
  await act(() => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 60_000 }))
}

const toolsOf = (chat: Chat) => chat.messages.at(-1)?.parts.filter(isToolUIPart) ?? []

const textOf = (chat: Chat): string =>
  chat.messages
    .at(-1)
    ?.parts.flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('|') ?? ''

test('a message starts a run, an approval of its call is the next request, and the answer goes on in one message', async () => {
  const { troupe, requests, open } = openServer()
  const chat = await open()
  await act(() => chat().sendMessage({ text: 'Pay.' }))
  await until(() => chat().status === 'ready')
  const [call] = toolsOf(chat())
  expect(call).toMatchObject({
    type: 'dynamic-tool',
    toolName: 'pay',
    state: 'approval-requested',
    input: { amount: 5 },
  })
  const message = chat().messages.at(-1)
  expect(message?.parts.map(({ type }) => type)).toContain('data-delegation-end')
  const { items } = await troupe.runs({ conversationId: 'c1' })
  expect(items.map(({ runId }) => runId)).toEqual([message?.id])

  await act(async () => chat().addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: true }))
  await until(() => textOf(chat()) === 'Paid.' && chat().status === 'ready')
  expect(chat().error).toBeUndefined()
  expect(chat().messages).toHaveLength(2)
  expect(toolsOf(chat())).toMatchObject([{ state: 'output-available', output: { paid: 5 } }])
  expect(chat().messages.at(-1)?.metadata).toMatchObject({ status: 'completed', runId: message?.id })
  expect(requests).toEqual(['POST /agents/desk/chat', 'POST /agents/desk/chat'])

  await act(() => chat().sendMessage({ text: 'Thank you.' }))
  await until(() => chat().messages.length === 4 && chat().status === 'ready')
  expect((await troupe.runs({ conversationId: 'c1' })).items).toHaveLength(2)
  await troupe.close()
})

test('a call that is denied ends without a result', async () => {
  const { troupe, open } = openServer()
  const chat = await open()
  await act(() => chat().sendMessage({ text: 'Pay.' }))
  await until(() => chat().status === 'ready')
  const id = toolsOf(chat())[0]?.approval?.id ?? ''
  await act(async () => chat().addToolApprovalResponse({ id, approved: false, reason: 'Too much.' }))
  await until(() => textOf(chat()) === 'Paid.' && chat().status === 'ready')
  expect(toolsOf(chat())).toMatchObject([
    { state: 'output-denied', approval: { approved: false, reason: 'Too much.' } },
  ])
  await troupe.close()
})

test('a page that comes back reads the run that is under way from its beginning; without one there is nothing', async () => {
  const { troupe, handler, open } = openServer()
  const none = await handler(new Request('http://server.test/agents/desk/chat/c1/stream'))
  expect(none.status).toBe(204)
  const body = { id: 'c1', messages: [{ role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }] }
  const headers = { 'content-type': 'application/json' }
  const left = await handler(
    new Request('http://server.test/agents/desk/chat', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }),
  )
  expect(left.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  await left.body?.cancel()
  const chat = await open([{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }], true)
  await until(() => chat().status === 'ready')
  expect(chat().error).toBeUndefined()
  await troupe.close()
})

test('a page that comes back while its run waits is asked again; one that comes back later reads past the question', async () => {
  const { troupe, open } = openServer()
  const first = await open()
  await act(() => first().sendMessage({ text: 'Pay.' }))
  await until(() => first().status === 'ready')
  const user: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }
  const second = await open([user], true)
  await until(() => second().status === 'ready' && toolsOf(second()).length > 0)
  const [call] = toolsOf(second())
  expect(call).toMatchObject({ state: 'approval-requested' })
  await act(async () => second().addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: true }))
  await until(() => textOf(second()) === 'Paid.' && second().status === 'ready')
  expect(second().messages).toHaveLength(2)
  // The first page has not heard of the answer: its own comes too late, and it reads on all the same.
  await act(async () => first().addToolApprovalResponse({ id: call?.approval?.id ?? '', approved: true }))
  await until(() => textOf(first()) === 'Paid.' && first().status === 'ready')
  expect(first().error).toBeUndefined()
  await troupe.close()
})

test('a page has the whole message of each run of its chat that it names', async () => {
  const { troupe, handler, open } = openServer()
  const chat = await open()
  await act(() => chat().sendMessage({ text: 'Pay.' }))
  await until(() => chat().status === 'ready')
  const id = toolsOf(chat())[0]?.approval?.id ?? ''
  await act(async () => chat().addToolApprovalResponse({ id, approved: true }))
  await until(() => textOf(chat()) === 'Paid.' && chat().status === 'ready')
  const get = (path: string) => handler(new Request(`http://server.test/agents/desk/chat/${path}`))
  expect((await get('c1/stream')).status).toBe(204)
  const [run] = (await troupe.runs({ conversationId: 'c1' })).items
  const lines = (await (await get(`c1/stream?runId=${run?.runId}`)).text()).split('\n')
  const chunks = lines.filter((line) => line.startsWith('data: {'))
  const types = chunks.map((line) => (JSON.parse(line.slice(6)) as { readonly type: string }).type)
  expect(types).toEqual(expect.arrayContaining(['tool-approval-request', 'tool-approval-response']))
  expect(types.indexOf('finish')).toBe(types.length - 1)
  expect((await get(`c2/stream?runId=${run?.runId}`)).status).toBe(204)
  expect((await get('c1/stream?runId=')).status).toBe(400)
  expect((await get(`c1/stream?run=${run?.runId}`)).status).toBe(400)
  await troupe.close()
})

test('a request that is none of a chat is refused', async () => {
  const { troupe, handler } = openServer()
  const sent = async (body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const url = 'http://server.test/agents/desk/chat'
    const response = await handler(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }))
    const { error } = (await response.json()) as { readonly error: { readonly code: string } }
    return [response.status, error.code]
  }
  const text = [{ type: 'text', text: 'Hi.' }]
  expect(await sent({ messages: [] })).toEqual([400, 'INVALID_REQUEST'])
  expect(await sent({ id: 'c1', messages: {} })).toEqual([400, 'INVALID_REQUEST'])
  expect(await sent({ id: 'c1', messages: [{ role: 'system', parts: text }] })).toEqual([
    400,
    'INVALID_REQUEST',
  ])
  expect(await sent({ id: 'c1', messages: [{ role: 'assistant', id: 'r', parts: text }] })).toEqual([
    400,
    'INVALID_REQUEST',
  ])
  const approval = { state: 'approval-responded', approval: { id: 'desk/call:1.2', approved: true } }
  expect(await sent({ id: 'c1', messages: [{ role: 'assistant', id: 'r', parts: [approval] }] })).toEqual([
    404,
    'RUN_NOT_FOUND',
  ])
  await troupe.close()
})
