/** Behaviour 82: nobody gets at a run that authorize does not give, by any route. */
import { createTroupe, type Troupe } from 'troupe'
import {
  createHandler,
  type Access,
  type AccessRequest,
  type HandlerOptions,
  type ServedRun,
} from 'troupe/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, readUntil } from './support/client.ts'
import { byUser, deskAgent, openDesk, toolCallId } from './support/desk.ts'

const desk = openDesk()
const [ann, ben] = [desk.client.as('ann'), desk.client.as('ben')]
let runId: string

beforeAll(async () => {
  runId = ((await ann.post('/agents/desk/runs', { prompt: 'Go', threadId: 't' })).body as ServedRun).runId
  await readUntil(await ann.response('GET', `/runs/${runId}/events`), ({ type }) => type === 'suspended')
})

afterAll(() => desk.troupe.close())

interface Route {
  readonly right: string
  readonly method: string
  readonly path: string
  readonly body?: object
}

/** The routes of a run, with the right that each asks for. */
const routes: readonly Route[] = [
  { right: 'read', method: 'GET', path: '' },
  { right: 'read', method: 'GET', path: '/events' },
  { right: 'read', method: 'GET', path: `/files/${'0'.repeat(64)}` },
  { right: 'answer', method: 'POST', path: '/answers', body: { type: 'approve', toolCallId } },
  { right: 'say', method: 'POST', path: '/messages', body: { message: 'Hi' } },
  { right: 'cancel', method: 'POST', path: '/cancel', body: {} },
  { right: 'delete', method: 'DELETE', path: '' },
]

describe.each<Route>(routes)('$right: $method /runs/:id$path', ({ right, method, path, body }) => {
  const sent = body === undefined ? {} : { body }

  test('a run of another is answered as one that is not there', async () => {
    const foreign = await ben.ask(method, `/runs/${runId}${path}`, sent)
    const missing = await ben.ask(method, `/runs/${'x'.repeat(runId.length)}${path}`, sent)
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'RUN_NOT_FOUND' } } })
    const text = (body: unknown): string => JSON.stringify(body).replaceAll(/"[\w-]{21}\\"|x{5,}/g, 'ID')
    expect(text(missing.body).replaceAll(/ID/g, '')).toBe(
      text(foreign.body).replace(runId, '').replaceAll(/ID/g, ''),
    )
    expect([...missing.headers.keys()]).toEqual([...foreign.headers.keys()])
    expect((await ann.get(`/runs/${runId}`)).body).toMatchObject({ status: 'waiting' })
  })

  test('authorize is asked for this right, and a caller without it gets nowhere', async () => {
    const asked: AccessRequest[] = []
    const client = clientWith((_, access) => {
      asked.push(access)
      return false
    })
    expect(await client.ask(method, `/runs/${runId}${path}`, sent)).toMatchObject({ status: 404 })
    const rights = right === 'read' ? [right] : [right, 'read']
    const run = { runId, agent: 'desk', resourceId: 'ann' }
    expect(asked).toMatchObject(rights.map((one) => ({ of: 'run', right: one, runId, run })))
  })

  test('a caller that may read the run, and no more, is forbidden', async () => {
    const client = clientWith((_, access) => (access.right === 'read' ? { resource: null } : false))
    const answer = await client.response(method, `/runs/${runId}${path}`, sent)
    await answer.body?.cancel()
    expect(answer.status === 403).toBe(right !== 'read')
  })

  test('a caller without a name gets the answer of authorize, for any run', async () => {
    for (const id of [runId, 'none']) {
      const answer = await desk.client.ask(method, `/runs/${id}${path}`, sent)
      expect(answer).toMatchObject({ status: 401, body: 'Who are you?' })
    }
  })
})

const clientWith = (authorize: HandlerOptions['authorize'], onError?: HandlerOptions['onError']) =>
  new Client(
    createHandler(desk.troupe, {
      authorize,
      agents: [desk.agent],
      ...(onError === undefined ? {} : { onError }),
    }),
  )

describe('a list', () => {
  test.each(['/runs', '/awaiting'])(
    '%s shows the runs of the caller alone, whatever it asks for',
    async (path) => {
      expect((await ann.get(path)).body).toMatchObject({ items: [{ runId }] })
      expect((await ben.get(path)).body).toEqual({ items: [] })
      expect(await ben.get(`${path}?resourceId=ann`)).toMatchObject({ status: 400 })
      expect((await ben.get(`${path}?threadId=t`)).body).toEqual({ items: [] })
      expect(await desk.client.get(path)).toMatchObject({ status: 401 })
      expect(await clientWith(() => false).get(path)).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN' } },
      })
    },
  )

  test.each(['/runs', '/awaiting'])('%s is held to the thread that authorize names', async (path) => {
    const held = (threadId: string) => clientWith(() => ({ resource: null, threadId }))
    expect((await held('t').get(path)).body).toMatchObject({ items: [{ runId }] })
    expect((await held('u').get(path)).body).toEqual({ items: [] })
    expect((await held('u').get(`${path}?threadId=t`)).body).toEqual({ items: [] })
    expect(await held('u').get(`/runs/${runId}`)).toMatchObject({ status: 404 })
  })
})

describe('a start', () => {
  test('belongs to the resource of the caller, in the thread that it is held to', async () => {
    const body = { prompt: 'Go', threadId: 'other' }
    const client = clientWith(() => ({ resource: 'cat', threadId: 'own' }))
    expect(await client.post('/agents/desk/runs', body)).toMatchObject({ status: 403 })
    expect(await client.post('/agents/desk/runs', { prompt: 'Go' })).toMatchObject({
      status: 201,
      body: { resourceId: 'cat', threadId: 'own' },
    })
  })

  test('holds runOptions to the thread, the conversation and the resource of the caller', async () => {
    const given = { resourceId: 'dan', threadId: 'theirs', conversationId: 'theirs' }
    const handler = createHandler(desk.troupe, {
      authorize: () => ({ resource: 'cat', threadId: 'own', conversationId: 'c' }),
      agents: [desk.agent],
      runOptions: () => given,
    })
    expect(await new Client(handler).post('/agents/desk/runs', { prompt: 'Go' })).toMatchObject({
      status: 201,
      body: { resourceId: 'cat', threadId: 'own', conversationId: 'c' },
    })
  })

  test('shows the run that is there to those alone who may read it', async () => {
    const body = { prompt: 'Go', runId }
    const starter = clientWith((_, { right }) => right === 'start' && { resource: null })
    expect(await starter.post('/agents/desk/runs', body)).toEqual(
      expect.objectContaining({
        status: 409,
        body: { error: { code: 'RUN_EXISTS', message: expect.not.stringContaining('pay') } },
      }),
    )
    const asked: AccessRequest[] = []
    const reader = clientWith((_, access) => {
      asked.push(access)
      return { resource: 'ann' }
    })
    expect(await reader.post('/agents/desk/runs', body)).toMatchObject({ status: 200, body: { runId } })
    expect(asked).toMatchObject([
      { of: 'agent', right: 'start' },
      { of: 'run', right: 'read', run: { runId } },
    ])
  })

  test('is refused before its body is read, and tells nothing of the agents', async () => {
    const client = clientWith(() => false)
    for (const agent of ['desk', 'none']) {
      expect(await client.ask('POST', `/agents/${agent}/runs`, { body: '{' })).toMatchObject({ status: 403 })
    }
    expect(await ann.post('/agents/helper/runs', { prompt: 'Go' })).toMatchObject({ status: 404 })
  })

  test.each(['resourceId', 'by', 'context', 'instructions', 'versions'])(
    'a client cannot set %s',
    async (name) => {
      const sent = { prompt: 'Go', [name]: 'x' }
      expect(await ann.post('/agents/desk/runs', sent)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_REQUEST' } },
      })
    },
  )
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['true', true],
  ['no resource', { by: 'ann' }],
  ['an undefined resource', { resource: undefined }],
  ['an empty resource', { resource: '' }],
  ['a misspelt field', { resource: null, thread: 't' }],
])('an authorize that answers %s gives nothing, and is reported', async (_, answer) => {
  const problems: unknown[] = []
  const client = clientWith((() => answer) as () => Access, (problem) => problems.push(problem))
  for (const path of [`/runs/${runId}`, `/runs/${runId}/events`, '/runs', '/awaiting']) {
    expect(await client.get(path)).toMatchObject({ status: 500, body: { error: { code: 'SERVER_FAILED' } } })
  }
  expect(problems).toHaveLength(4)
  expect(problems[0]).toMatchObject({ where: 'request', error: { code: 'INVALID_CONFIGURATION' } })
})

test('an authorize that throws gives nothing, and its error stays with the server', async () => {
  const problems: unknown[] = []
  const client = clientWith(
    async () => Promise.reject(new Error('secret of the database')),
    (problem) => problems.push(problem),
  )
  const answer = await client.get(`/runs/${runId}`)
  expect(answer.status).toBe(500)
  expect(JSON.stringify(answer.body)).not.toContain('secret')
  expect(problems).toMatchObject([{ error: { message: 'secret of the database' } }])
})

test('everybody may do everything where the handler says so', async () => {
  const client = clientWith('everybody')
  expect((await client.get(`/runs/${runId}`)).body).toMatchObject({ runId })
})

test('a handler without authorize is refused', async () => {
  const troupe: Troupe = createTroupe({ agents: [deskAgent()] })
  const wrong: object[] = [
    {},
    { authorize: 'anybody' },
    { authorize: byUser, base: '/a/' },
    { authorize: byUser, wires: 1 },
  ]
  for (const options of wrong) {
    expect(() => createHandler(troupe, options as HandlerOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
    )
  }
  await troupe.close()
})
