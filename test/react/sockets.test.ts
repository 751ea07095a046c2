/** Behaviour 79 against the handler of `troupe/http`, over sockets: the hook and the server speak one language. */
import { newContainer } from './support/dom.ts'
import { act, createElement, StrictMode, useLayoutEffect, type ReactNode } from 'react'
import { createRoot, hydrateRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { createAgent, createTool, type ModelCallOptions, type ChatModel } from 'troupe'
import { useRun, type RunState } from 'troupe/react'
import { viewOf } from 'troupe/view'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { SocketServer } from './support/socket-server.ts'

const folder = temporaryFolder()
const words = Array.from({ length: 30 }, (_, index) => `word${index} `)
/** How many words the model says before it is silent until its process ends. */
let most = Infinity

/** It calls the tool, and then speaks. */
const model: ChatModel = {
  provider: 'test',
  modelId: 'speaker',
  async generate({ messages }, { onDelta, signal }: ModelCallOptions) {
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    if (!messages.some(({ role }) => role === 'tool')) {
      const toolCalls = [{ id: '1', name: 'track', args: { parcel: 'A-17' } }]
      return { text: '', toolCalls, finishReason: 'tool-calls', usage }
    }
    for (const [index, text] of words.entries()) {
      if (index === most) await new Promise((_, reject) => signal.addEventListener('abort', reject))
      onDelta?.({ type: 'text', text })
      await new Promise(setImmediate)
    }
    return { text: words.join(''), toolCalls: [], finishReason: 'stop', usage }
  },
}
const track = createTool({
  id: 'track',
  description: 'Finds a parcel.',
  inputSchema: z.object({ parcel: z.string() }),
  requireApproval: true,
  execute: ({ parcel }) => `${parcel} is in Hamburg.`,
})
const desk = createAgent({ id: 'desk', instructions: '', model, tools: { track } })
const callId = 'desk/call:1.1'
const server = new SocketServer(desk, folder.file('runs.db'))
let root: Root
let container: HTMLElement

beforeAll(() => server.start())

afterAll(async () => {
  await server.stop()
  folder[Symbol.dispose]()
})

beforeEach(() => {
  most = Infinity
  server.token = 'Bearer 1'
  server.asked.length = 0
  server.left = 0
  container = newContainer()
})

afterEach(() => act(async () => root.unmount()))

interface Page {
  readonly state: () => RunState
  /** Shows another run, or none. */
  readonly show: (url: string | undefined) => Promise<void>
  /** The texts of both components at each of their renderings on the screen. */
  readonly drawn: (readonly [string, string])[]
}

/** Two components with one run, and a token of their own for each request. */
async function open(url: string | undefined): Promise<Page> {
  let last: RunState | undefined
  const drawn: (readonly [string, string])[] = []
  const headers = () => ({ authorization: server.token })
  function Shown({ of }: { readonly of: string | undefined }): ReactNode {
    const state = useRun(of, { headers })
    last = state
    useLayoutEffect(() => {
      const [one = '', other = ''] = [...container.children].map(({ textContent }) => textContent)
      drawn.push([one, other])
    })
    return createElement('p', null, `${state.connection} ${state.status} ${state.view.text}`)
  }
  const show = (of: string | undefined) =>
    act(async () =>
      root.render(
        createElement(
          StrictMode,
          null,
          createElement(Shown, { key: 1, of }),
          createElement(Shown, { key: 2, of }),
        ),
      ),
    )
  root = createRoot(container)
  await show(url)
  return {
    drawn,
    show,
    state() {
      if (last === undefined) throw new Error('Nothing was shown.')
      return last
    },
  }
}

async function until(isSo: () => boolean): Promise<void> {
  await act(() => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 60_000 }))
}

async function started(): Promise<readonly [id: string, url: string]> {
  const { id } = await server.troupe.start(desk, 'Where is A-17?')
  return [id, server.url(id)]
}

const requests = (): readonly string[] => server.asked.map(({ what }) => what.replace(/^(\w+) [^/]+/, '$1 '))

test('the whole answer is there once, over a server that is stopped in the midst of it and started again', async () => {
  const [id, url] = await started()
  most = 7
  const page = await open(url)
  await until(() => page.state().view.questions.length === 1)
  await act(() => page.state().approve(callId, { note: 'Fine.' }))
  await until(() => page.state().view.text.endsWith('word6 '))
  await act(() => server.stop())
  await until(() => page.state().connection === 'reconnecting')
  expect(page.state()).toMatchObject({ status: 'running', error: { code: 'CONNECTION_LOST' } })
  await expect(page.state().say('Hello?')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  most = Infinity
  await server.start()
  await until(() => page.state().connection === 'closed')
  expect(page.state()).toMatchObject({ status: 'settled', error: undefined })
  expect(page.state().view.text).toBe(words.join(''))
  const { events } = await server.troupe.replay(id)
  const parts = ({ agents }: RunState['view']) => agents.at(0)?.parts.map(({ id, type }) => [id, type])
  expect(parts(page.state().view)).toEqual(parts(viewOf(events)))
  expect(page.state().view.agents.at(0)?.parts.get(callId)).toMatchObject({
    answer: { approved: true, by: 'ann', note: 'Fine.' },
  })
  // Both components show the same at each moment.
  expect(page.drawn.filter(([one, other]) => one !== other)).toEqual([])
  expect(new Set(page.drawn.map(([one]) => one)).size).toBeGreaterThan(3)
  const streams = server.asked.filter(({ what }) => what.endsWith('/events'))
  expect(streams.map(({ after }) => after === null)).toEqual(streams.map((_, index) => index === 0))

  // A page that is opened again has the ended run at once.
  await act(async () => root.unmount())
  const again = await open(url)
  await until(() => again.state().connection === 'closed')
  expect(again.state().view.text).toBe(words.join(''))
})

test('another url shows the other run alone; a component that leaves closes its stream, and no run', async () => {
  const [first, firstUrl] = await started()
  const [second, secondUrl] = await started()
  const page = await open(firstUrl)
  await until(() => page.state().status === 'suspended')
  expect(requests()).toEqual(['GET /events'])
  await page.show(secondUrl)
  expect(page.state().view.runId).not.toBe(first)
  await until(() => page.state().view.runId === second && page.state().status === 'suspended')
  await expect.poll(() => server.left).toBe(1)
  await page.show(undefined)
  expect(page.state()).toMatchObject({ connection: 'idle', status: 'pending' })
  await expect.poll(() => server.left).toBe(2)
  await page.show(firstUrl)
  await until(() => page.state().status === 'suspended')
  await act(() => page.state().deny(callId, 'No.'))
  await until(() => page.state().connection === 'closed')
  expect(page.state().view.agents.at(0)?.parts.get(callId)).toMatchObject({
    status: 'denied',
    answer: { reason: 'No.', by: 'ann' },
  })
  expect((await server.troupe.replay(second)).events.at(-1)?.type).toBe('suspended')
})

test('a refusal is an error with the code and status of the server, and each request has the headers of its time', async () => {
  const [, url] = await started()
  server.token = 'Bearer 2'
  const page = await open(url)
  await until(() => page.state().status === 'suspended')
  await act(() => page.state().say('Hurry.', { id: 'm1' }))
  await expect(page.state().approve('desk/call:9.9')).rejects.toMatchObject({
    name: 'RequestError',
    code: 'UNKNOWN_SIGNAL',
    status: 409,
  })
  await act(() => page.state().cancel('Enough.'))
  await until(() => page.state().connection === 'closed')
  expect(page.state().view).toMatchObject({ outcome: 'cancelled', reason: 'Enough.' })
  await expect(page.state().approve(callId)).rejects.toMatchObject({ status: 409 })
  expect(new Set(server.asked.map(({ token }) => token))).toEqual(new Set(['Bearer 2']))

  await page.show(server.url('none'))
  await until(() => page.state().connection === 'failed')
  expect(page.state().error).toMatchObject({ code: 'RUN_NOT_FOUND', status: 404 })
  await page.show(`${url}/`)
  await until(() => page.state().connection === 'closed')
  expect(page.state().error).toBeUndefined()
})

test('markup of a server is taken over as it is, and the run follows', async () => {
  const [, url] = await started()
  let last: RunState | undefined
  function Shown(): ReactNode {
    last = useRun(url, { headers: { authorization: server.token } })
    return createElement('p', null, `${last.status} ${last.view.questions.length}`)
  }
  container.innerHTML = renderToString(createElement(Shown))
  expect(container.textContent).toBe('pending 0')
  expect(server.asked).toEqual([])
  const mismatches: unknown[] = []
  await act(async () => {
    root = hydrateRoot(container, createElement(Shown), {
      onRecoverableError: (error) => mismatches.push(error),
    })
  })
  await until(() => last?.status === 'suspended')
  expect(container.textContent).toBe('suspended 1')
  expect(mismatches).toEqual([])
})
