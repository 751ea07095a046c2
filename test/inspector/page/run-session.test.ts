/** The connection to a run: what it shows, what it asks for again, and when it gives up. */
import { expect, test, vi } from 'vitest'
import { Api } from '../../../src/inspector/page/connection/api.ts'
import { RunSession } from '../../../src/inspector/page/connection/run-session.ts'
import type { RunRow, StreamMessage } from '../../../src/inspector/wire/routes.ts'
import type { Row } from '../../../src/inspector/wire/rows.ts'

const run: RunRow = { runId: 'r1', agent: 'lead', status: 'running', startedAt: 0, awaiting: [] }

function rows(from: number, to: number): Extract<StreamMessage, { type: 'rows' }> {
  const row = (position: number): Row => ({
    row: position,
    journal: 'lead',
    entry: position,
    type: 'effect.settled',
    kind: 'model',
    path: 'lead',
    at: position,
    line: `row ${position}`,
    transitions: [],
    events: [],
    actorsAdded: [],
    actorsEnded: [],
  })
  return { type: 'rows', rows: Array.from({ length: to - from }, (_, index) => row(from + index)) }
}

const begun = (series: string): StreamMessage => ({ type: 'run', run, series })

/** Answers the stream with these messages, one connection after another, and then with errors. */
async function follow(...connections: readonly (readonly StreamMessage[] | Response)[]) {
  const asked: string[] = []
  const left = [...connections]
  vi.stubGlobal('fetch', (address: string) => {
    if (address === '/api/runs/r1/charts') return Promise.resolve(Response.json([]))
    asked.push(address)
    const next = left.shift()
    if (next === undefined) return Promise.reject(new TypeError('no connection'))
    if (next instanceof Response) return Promise.resolve(next)
    return Promise.resolve(new Response(next.map((message) => `${JSON.stringify(message)}\n`).join('')))
  })
  const session = new RunSession(new Api('secret'), 'r1')
  const settled = async () => {
    await expect.poll(() => left.length).toBe(0)
    await expect.poll(() => session.feed.value.state).not.toBe('opening')
  }
  return {
    session,
    asked,
    settled,
    [Symbol.dispose]() {
      session.close()
      vi.unstubAllGlobals()
    },
  }
}

test('rows are added until the run has ended', async () => {
  using opened = await follow([begun('a'), rows(0, 2), { type: 'live' }, rows(2, 3), { type: 'end' }])
  await opened.settled()
  expect(opened.session.feed.value).toEqual({ state: 'ended' })
  expect(opened.session.model.value.rows.map(({ row }) => row)).toEqual([0, 1, 2])
  expect(opened.asked).toEqual(['/api/runs/r1/stream?from=0'])
})

test('a lost connection goes on behind the rows that the page has', async () => {
  using opened = await follow(
    [begun('a'), rows(0, 2), { type: 'live' }],
    [begun('a'), rows(2, 4), { type: 'end' }],
  )
  await expect.poll(() => opened.session.feed.value.state).toBe('outage')
  expect(opened.session.model.value.rows).toHaveLength(2)
  opened.session.retry()
  await expect.poll(() => opened.session.feed.value).toEqual({ state: 'ended' })
  expect(opened.asked).toEqual(['/api/runs/r1/stream?from=0', '/api/runs/r1/stream?from=2&series=a'])
  expect(opened.session.model.value.rows.map(({ row }) => row)).toEqual([0, 1, 2, 3])
})

test('rows of another series replace those that the page has', async () => {
  using opened = await follow([begun('a'), rows(0, 3)], [begun('b'), rows(0, 1), { type: 'end' }])
  await expect.poll(() => opened.session.feed.value.state).toBe('outage')
  const first = opened.session.model.value
  opened.session.retry()
  await expect.poll(() => opened.session.feed.value).toEqual({ state: 'ended' })
  expect(opened.session.model.value).not.toBe(first)
  expect(opened.session.model.value.rows).toHaveLength(1)
})

test('an outage of the run is told, and its end too', async () => {
  const error = { name: 'StoreError', code: 'STORE_UNREACHABLE', message: 'The store is away.' }
  using opened = await follow([begun('a'), rows(0, 1), { type: 'live' }, { type: 'outage', error }])
  const states: unknown[] = []
  opened.session.feed.subscribe((feed) => states.push(feed))
  await expect.poll(() => states).toContainEqual({ state: 'outage', message: 'The store is away.' })
})

test('after an outage of the run it is live again', async () => {
  const error = { name: 'StoreError', code: 'STORE_UNREACHABLE', message: 'The store is away.' }
  const states: string[] = []
  using opened = await follow([begun('a'), { type: 'live' }, { type: 'outage', error }, { type: 'outage' }])
  opened.session.feed.subscribe(({ state }) => states.push(state))
  await expect.poll(() => states.join(' ')).toContain('opening live outage live outage')
})

test('a refusal ends the attempts', async () => {
  const refusal = { error: { name: 'RunNotFoundError', code: 'RUN_NOT_FOUND', message: 'There is no run.' } }
  using opened = await follow(Response.json(refusal, { status: 404 }))
  await opened.settled()
  expect(opened.session.feed.value).toMatchObject({
    state: 'refused',
    error: { code: 'RUN_NOT_FOUND', status: 404 },
  })
})

test('a message under way is shown until an entry of its agent has come', async () => {
  const speech = { type: 'speech', path: 'lead', messageId: 'm1' } as const
  using opened = await follow([
    begun('a'),
    { ...speech, kind: 'reasoning', text: 'Hm' },
    { ...speech, kind: 'text', text: 'Hello' },
    { ...speech, path: 'lead/other', kind: 'text', text: 'Stays' },
    rows(0, 1),
  ])
  const heard: unknown[] = []
  opened.session.speech.subscribe((speech) => heard.push([...speech.values()].map(({ text }) => text)))
  await expect.poll(() => heard).toContainEqual(['Hello', 'Stays'])
  await expect.poll(() => heard.at(-1)).toEqual(['Stays'])
})
