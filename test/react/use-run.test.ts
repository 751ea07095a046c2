// @vitest-environment happy-dom
/** Behaviour 79: a component shows a run once and whole, over lost connections, and leaves it alone when it is unmounted. */
import { act, createElement, StrictMode, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { createAgent, createTool, createTroupe, memoryStore, type Troupe } from 'troupe'
import { useRun, type RunOfComponent, type RunState, type UseRunOptions } from 'troupe/react'
import { scriptedModel } from 'troupe/testing'
import { viewOf } from 'troupe/view'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { serve, type Served } from './support/served-run.ts'

let root: Root
let desk: ReturnType<typeof newDesk>
let troupe: Troupe
let served: Served

const track = createTool({
  id: 'track',
  description: 'Finds a parcel.',
  inputSchema: z.object({ parcel: z.string() }),
  requireApproval: true,
  execute: ({ parcel }) => `${parcel} is in Hamburg.`,
})

function newDesk() {
  return createAgent({
    id: 'desk',
    instructions: '',
    model: scriptedModel(
      [{ text: 'Let me look.', toolCalls: [{ name: 'track', args: { parcel: 'A-17' } }] }],
      { otherwise: 'It is in Hamburg.' },
    ),
    tools: { track },
  })
}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  desk = newDesk()
  troupe = createTroupe({ agents: [desk], store: memoryStore(), onError: () => undefined })
  served = serve(troupe)
})

afterEach(async () => {
  await act(async () => root.unmount())
  await troupe.close()
  vi.unstubAllGlobals()
})

interface Page {
  /** The state as the components have it; they have the same. */
  readonly state: () => RunState
  /** The states that the first component has shown. */
  readonly states: readonly RunState[]
  readonly text: () => string
}

/** Shows a run twice, in StrictMode. */
async function show(
  run: RunOfComponent | undefined,
  options: UseRunOptions = { fetch: served.fetch },
): Promise<Page> {
  const container = document.createElement('div')
  const states: RunState[] = []
  function Shown(): ReactNode {
    const state = useRun(run, options)
    states.push(state)
    return `${state.connection} ${state.status}: ${state.view.text}|`
  }
  root = createRoot(container)
  const twice = [createElement(Shown, { key: 1 }), createElement(Shown, { key: 2 })]
  await act(async () => root.render(createElement(StrictMode, null, twice)))
  return {
    states,
    state() {
      const last = states.at(-1)
      if (last === undefined) throw new Error('Nothing was shown.')
      return last
    },
    text: () => container.textContent ?? '',
  }
}

/** Waits, within React's `act`, until the page is so. */
async function until(isSo: () => boolean): Promise<void> {
  await act(() => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 60_000 }))
}

const twice = (text: string): string => `${text}|${text}|`

async function started(): Promise<readonly [id: string, url: string]> {
  const { id } = await troupe.start(desk, 'Where is A-17?')
  return [id, `http://server.test/runs/${id}`]
}

test('components with one run share a connection: they show it, answer its question, and end with it', async () => {
  const [id, url] = await started()
  const headers = vi.fn<() => { authorization: string }>(() => ({ authorization: 'Bearer ada' }))
  const page = await show(url, { fetch: served.fetch, headers })
  await until(() => page.state().view.questions.length === 1)
  expect(page.state()).toMatchObject({ status: 'suspended', connection: 'open', error: undefined })
  await act(() => page.state().approve('desk/call:1.1', { note: 'Fine.' }))
  await until(() => page.state().connection === 'closed')
  expect(page.text()).toBe(twice('closed settled: It is in Hamburg.'))
  expect(served.requests).toEqual([
    { what: 'GET events', after: null, token: 'Bearer ada' },
    { what: 'POST answers', after: null, token: 'Bearer ada' },
  ])
  expect(headers).toHaveBeenCalledTimes(2)
  const { events } = await troupe.replay(id)
  expect(page.state().view.agents.map(({ text }) => text)).toEqual(
    viewOf(events).agents.map(({ text }) => text),
  )
  const { approve } = page.states[0] ?? page.state()
  expect(page.state().approve).toBeTypeOf('function')
  await expect(approve('desk/call:1.1')).rejects.toMatchObject({
    code: 'SIGNAL_ALREADY_ANSWERED',
    status: 409,
  })
})

test('a connection that is lost is made again behind the last event: nothing is missing, and nothing is there twice', async () => {
  const [, url] = await started()
  served.cutAfter = 3
  const page = await show(url)
  await until(() => page.state().status === 'suspended')
  served.refusals.push(503)
  served.cutAfter = 2
  await act(() =>
    page
      .state()
      .deny('desk/call:1.1', 'No.')
      .catch(() => undefined),
  )
  await act(() => page.state().deny('desk/call:1.1', 'No.'))
  await until(() => page.state().connection === 'closed')
  expect(page.text()).toBe(twice('closed settled: It is in Hamburg.'))
  const streams = served.requests.filter(({ what }) => what === 'GET events')
  expect(streams.length).toBeGreaterThan(1)
  expect(streams.map(({ after }) => after === null)).toEqual(streams.map((_, index) => index === 0))
  expect(
    page
      .state()
      .view.agents.at(0)
      ?.parts.map(({ type }) => type),
  ).toEqual(['step', 'text', 'tool', 'step', 'text'])
  expect(page.state().error).toBeUndefined()
})

test('an answer of the server that may pass is asked for again, another is an error', async () => {
  const [, url] = await started()
  served.refusals.push(503, 429)
  const page = await show(url)
  expect(page.state().connection).toBe('reconnecting')
  expect(page.state().error).toMatchObject({ code: 'REFUSED_HERE', status: 503, message: 'Not now.' })
  await act(async () => root.unmount())

  served.refusals.splice(0, Infinity, 403)
  const refused = await show(url)
  await until(() => refused.state().connection === 'failed')
  expect(refused.state()).toMatchObject({ status: 'pending', error: { code: 'REFUSED_HERE', status: 403 } })
})

test.each(['text/html; charset=utf-8', 'application/json', 'text/event-streams', undefined])(
  'an answer of the type %s is no stream: the connection has failed, and is not made again',
  async (type) => {
    let requests = 0
    const fetch = async () => {
      requests++
      return new Response('<p>data: 1</p>', { headers: type === undefined ? {} : { 'content-type': type } })
    }
    const { state } = await show('http://server.test/runs/r', { fetch })
    await until(() => state().connection === 'failed')
    expect(state().error).toMatchObject({ name: 'RequestError', code: 'REQUEST_FAILED', status: 200 })
    expect(requests).toBe(1)
  },
)

test('a component that is unmounted closes the connection, and the run goes on', async () => {
  const [id, url] = await started()
  const page = await show(url)
  await until(() => page.state().status === 'suspended')
  await act(async () => root.unmount())
  expect(served.left).toBe(1)
  await troupe.signal(id, { type: 'approve', toolCallId: 'desk/call:1.1' })
  expect((await troupe.replay(id)).events.some(({ type }) => type === 'abort')).toBe(false)
  const again = await show(url)
  await until(() => again.state().connection === 'closed')
  expect(again.text()).toBe(twice('closed settled: It is in Hamburg.'))
})

test('messages and cancels go to their routes', async () => {
  const [, url] = await started()
  const page = await show(url)
  await until(() => page.state().status === 'suspended')
  await act(() => page.state().say('Hurry.', { id: 'm1' }))
  await until(() => page.state().view.agents.at(0)?.parts.get('saying:m1') !== undefined)
  await act(() => page.state().cancel('Enough.'))
  await until(() => page.state().connection === 'closed')
  expect(page.state().view).toMatchObject({ outcome: 'cancelled', reason: 'Enough.', questions: [] })
  expect(served.requests.map(({ what }) => what)).toEqual(['GET events', 'POST messages', 'POST cancel'])
})

test('the handle of a run, and a troupe with the id of a run, are shown as a URL is', async () => {
  const run = await troupe.start(desk, 'Where is A-17?')
  const page = await show(run)
  await until(() => page.state().status === 'suspended')
  await act(() =>
    page
      .state()
      .resume('desk/call:1.1')
      .catch(() => undefined),
  )
  await act(() => page.state().approve('desk/call:1.1'))
  await until(() => page.state().connection === 'closed')
  expect(page.text()).toBe(twice('closed settled: It is in Hamburg.'))
  await act(async () => root.unmount())

  const watched = await show({ service: troupe, runId: run.id })
  await until(() => watched.state().connection === 'closed')
  expect(watched.text()).toBe(twice('closed settled: It is in Hamburg.'))
  await act(async () => root.unmount())

  const missing = await show({ service: troupe, runId: 'none' })
  await until(() => missing.state().connection === 'failed')
  expect(missing.state().error).toMatchObject({ code: 'RUN_NOT_FOUND' })
})

test('without a run, and on a server, there is a view without events and no connection', async () => {
  const page = await show(undefined)
  expect(page.text()).toBe(twice('idle pending: '))
  await expect(page.state().cancel()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  function Shown(): ReactNode {
    return useRun('http://server.test/runs/r1', { fetch: served.fetch }).status
  }
  expect(renderToString(createElement(Shown))).toBe('pending')
  expect(served.requests).toEqual([])
})

test('an unknown option, and a run that is none, are errors at once', () => {
  root = createRoot(document.createElement('div'))
  const rendered = (run: unknown, options: object) => () => {
    function Shown(): ReactNode {
      return useRun(run as RunOfComponent, options).status
    }
    return renderToString(createElement(Shown))
  }
  expect(rendered('/runs/r1', { header: {} })).toThrow(
    'useRun: there is no option "header"; did you mean "headers"?',
  )
  expect(rendered({ id: 'r1' }, {})).toThrow('useRun: the run must be a URL')
})

test.each<[string, () => never]>([
  ['reject', (() => Promise.reject(new Error('No session.'))) as () => never],
  [
    'throw',
    () => {
      throw new Error('No session.')
    },
  ],
  ['are no texts', (() => ({ authorization: 7 })) as never],
])('headers that %s are an error of the connection, and no request is made', async (_name, headers) => {
  const [, url] = await started()
  const page = await show(url, { fetch: served.fetch, headers })
  await until(() => page.state().error !== undefined)
  expect(page.state().error).toBeInstanceOf(Error)
  expect(served.requests).toEqual([])
})
