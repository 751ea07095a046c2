/** Behaviour 72: Which requests the inspector answers, and what its answers say of themselves. */
import { Server } from 'node:net'
import { ConfigurationError, createTroupe, memoryStore, type Problem } from 'troupe'
import { inspector, type InspectorOptions } from 'troupe/inspector'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { InspectedContent } from 'troupe/inspector'
import { calls, worker } from '../../support/agents/agents.ts'
import type { RowDetail, RunPage, StreamMessage } from '../../../src/inspector/wire/routes.ts'
import { Client } from '../support/client.ts'

const hostile = `<script>alert(1)</script>\u202Eevil ${'x'.repeat(1_000_000)}\n\u0000`
const poet = () => worker('poet', [{ text: hostile }], { otherwise: 'Done.' }).agent

async function opened(options: InspectorOptions = {}, store = memoryStore()) {
  const agent = poet()
  const troupe = createTroupe({ agents: [agent], store })
  const view = inspector(troupe, options)
  const run = await troupe.start(agent, 'Rhyme')
  await run.result
  return {
    agent,
    troupe,
    view,
    runId: run.id,
    client: await Client.of(view),
    async [Symbol.asyncDispose]() {
      await view.stop()
      await troupe.close()
    },
  }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a token of its own serves a page also after the inspector was started again', async () => {
  const token = 'a-token-of-its-own_'.repeat(2)
  await using first = await opened({ token })
  const { client, troupe, view } = first
  expect(client.token).toBe(token)
  await view.stop()
  await using again = inspector(troupe, { token, port: Number(new URL(client.origin).port) })
  await again.url
  expect((await client.get<RunPage>('/runs')).items).toHaveLength(1)
  for (const wrong of ['short', `${token} `, `${token}#`])
    expect(() => inspector(troupe, { token: wrong })).toThrow(ConfigurationError)
})

describe('a request is refused', () => {
  test.each([
    ['by a foreign name', { host: 'evil.example' }, 403],
    ['by a name that only begins as ours', { host: '127.0.0.1.evil.example' }, 403],
    ['of a page of another origin', { origin: 'https://evil.example' }, 403],
    ['of a page of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['of a page without an origin', { origin: 'null' }, 403],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['without the token', { authorization: '' }, 401],
    ['with another token', { authorization: 'Bearer x' }, 401],
  ])('%s', async (_, headers, status) => {
    await using shown = await opened()
    const { client, runId } = shown
    for (const path of ['/service', '/runs', `/runs/${runId}/stream`, '/none']) {
      const reply = await client.ask(path, { headers })
      expect(reply.status).toBe(status)
      expect(reply.text).not.toContain('poet')
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    }
    if (status === 403) expect((await client.raw('/', { headers })).status).toBe(403)
  })

  test('that has the token in its query', async () => {
    await using shown = await opened()
    const { client } = shown
    expect((await client.raw(`/api/runs?t=${client.token}`)).status).toBe(401)
  })

  test('for what is not there, by the wrong method, and with a wrong body', async () => {
    await using shown = await opened()
    const { client, runId } = shown
    const status = async (path: string, asked = {}): Promise<number> => (await client.ask(path, asked)).status
    expect(await status('/none')).toBe(404)
    expect(await status('/runs/%E0%A4%A')).toBe(400)
    expect(await status('/runs/..%2F..%2Fetc')).toBe(404)
    const wrong = await client.ask('/runs', { method: 'PUT' })
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET'])
    expect(await status(`/runs/${runId}/signal`, { method: 'POST', body: '{}' })).toBe(415)
    const headers = { 'content-type': 'application/json' }
    const post = { method: 'POST', headers }
    expect(await status(`/runs/${runId}/signal`, { ...post, body: '{' })).toBe(400)
    expect(await status(`/runs/${runId}/signal`, { ...post, body: '[]' })).toBe(400)
    expect(await status(`/runs/${runId}/signal`, { ...post, body: '{"type":"shout"}' })).toBe(400)
    const long = JSON.stringify({ type: 'say', message: 'x'.repeat(5_000_000) })
    const refused = await client.ask(`/runs/${runId}/signal`, { ...post, body: long })
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('REQUEST_TOO_LARGE')])
    expect(await status('/runs')).toBe(200)
  })
})

test('the names of this machine, with its port, are answered', async () => {
  await using shown = await opened()
  const { client } = shown
  const { port } = new URL(client.origin)
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
    expect((await client.ask('/service', { headers })).status).toBe(200)
  }
})

test('each answer says what a browser may do with it', async () => {
  await using shown = await opened()
  const { client } = shown
  for (const reply of [
    await client.raw('/nothing.txt'),
    await client.ask('/runs'),
    await client.ask('/no'),
  ]) {
    expect(reply.headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    })
    const policy = String(reply.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
    expect(policy).not.toContain('unsafe')
  }
})

test('each start has a token of its own, which only the fragment of the address has', async () => {
  await using one = await opened()
  await using two = await opened()
  expect(one.client.token).toMatch(/^[\w-]{43}$/)
  expect(one.client.token).not.toBe(two.client.token)
  expect(await one.view.url).toBe(`${one.client.origin}/#t=${one.client.token}`)
})

test('in production it is served only where that is asked for', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const troupe = createTroupe({ agents: [poet()] })
  expect(() => inspector(troupe)).toThrow(ConfigurationError)
  await using view = inspector(troupe, { allowInProduction: true })
  expect(await view.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#t=/)
})

test('what is no troupe is refused, and a port that is taken is told', async () => {
  expect(() => inspector({} as never)).toThrow(/a troupe/)
  await using shown = await opened()
  const problems: Problem[] = []
  const port = Number(new URL(shown.client.origin).port)
  const second = inspector(shown.troupe, { port, onError: (problem) => problems.push(problem) })
  await expect(second.url).rejects.toMatchObject({ code: 'INSPECTOR_FAILED' })
  await second.stop()
  expect(problems).toEqual([])
})

/** With a point for each mark of a character that is not seen. */
const unmarked = (line: string): string => line.replaceAll(/⟨U\+[0-9A-F]+⟩/g, '.')

test('hostile text is data, long text is cut in lists, and the entry has more of it', async () => {
  await using shown = await opened()
  const { client, runId } = shown
  const rows = await client.rows(runId, 'end')
  const row = rows.find(({ kind }) => kind === 'model')
  expect(unmarked(row?.line ?? '')).toHaveLength(200)
  expect(row?.line).toMatch(/^<script>alert\(1\)<\/script>/)
  for (const { line, events } of rows)
    for (const one of [line, ...events.map((event) => event.line)])
      expect(unmarked(one).length).toBeLessThanOrEqual(200)
  const detail = await client.get<RowDetail>(`/runs/${runId}/rows/${row?.row}`)
  expect(detail.isCut).toBe(true)
  expect(JSON.stringify(detail)).toContain('more characters')
  const { headers } = await client.ask(`/runs/${runId}/rows/${row?.row}`)
  expect(headers['content-type']).toContain('application/json')
})

describe('what leaves the process', () => {
  test('is chosen by filter: other runs do not exist', async () => {
    const problems: Problem[] = []
    await using shown = await opened({
      filter: ({ agent: id, ...run }) => {
        if (run.resourceId === 'broken') throw new Error('No.')
        return id === 'poet' && run.resourceId === 'mine'
      },
      onError: (problem) => problems.push(problem),
    })
    const { agent, client, troupe, runId } = shown
    const mine = await troupe.start(agent, 'Rhyme', { resourceId: 'mine' })
    const broken = await troupe.start(agent, 'Rhyme', { resourceId: 'broken' })
    await Promise.all([mine.result, broken.result])
    for (const other of [runId, broken.id]) {
      for (const path of ['', '/stream', '/rows/0', '/view/0', '/recording', `/compare/${mine.id}`])
        expect((await client.ask(`/runs/${other}${path}`)).status).toBe(404)
      expect((await client.ask(`/runs/${mine.id}/compare/${other}`)).status).toBe(404)
      expect((await client.post(`/runs/${other}/signal`, { type: 'cancel' })).status).toBe(404)
      expect((await client.ask(`/runs/${other}`, { method: 'DELETE' })).status).toBe(404)
    }
    const { items } = await client.get<RunPage>('/runs')
    expect(items.map((run) => run.runId)).toEqual([mine.id])
    expect((await client.ask(`/runs/${mine.id}/compare/${mine.id}`)).status).toBe(200)
    expect(problems.map(({ runId: id }) => id)).toEqual([broken.id])
  })

  test('passes sanitize: parts are replaced, and withheld where it fails', async () => {
    const problems: Problem[] = []
    await using shown = await opened({
      sanitize: (content: InspectedContent) => {
        if (content.type === 'row')
          return { ...content, content: { ...content.content, line: 'hidden', events: [] } }
        if (content.type === 'entry') throw new Error('No.')
        if (content.type === 'actor') return { ...content, content: { ...content.content, context: null } }
        return content
      },
      onError: (problem) => problems.push(problem),
    })
    const { client, runId } = shown
    const rows = await client.rows(runId, 'end')
    expect(new Set(rows.map(({ line }) => line))).toEqual(new Set(['hidden']))
    expect((await client.ask(`/runs/${runId}/rows/1`)).status).toBe(409)
    expect(problems).toMatchObject([{ where: 'observer', runId }])
    expect(await client.get(`/runs/${runId}/view/1`)).toMatchObject({ path: 'poet', context: null })
    for (const path of ['recording', 'why', 'turtle'])
      expect((await client.ask(`/runs/${runId}/${path}`)).status).toBe(409)
    expect((await client.post(`/runs/${runId}/fork`, { at: 1 })).status).toBe(409)
  })
})

describe('what a function of the user returns', () => {
  const odd: readonly (readonly [string, (content: InspectedContent) => unknown])[] = [
    ['nothing', () => undefined],
    ['a promise of nothing', async () => undefined],
    ['another type', (content) => ({ ...content, type: 'entry', content: 5 })],
    ['what is no JSON', (content) => ({ ...content, content: { ...content.content, big: 1n } })],
    [
      'a circle',
      (content) => {
        const circle: Record<string, unknown> = { ...content.content }
        return { ...content, content: Object.assign(circle, { circle }) }
      },
    ],
  ]
  test.each(odd)(
    'that sanitize cannot send withholds the part, and ends no stream: %s',
    async (_, sanitize) => {
      const problems: Problem[] = []
      await using shown = await opened({
        sanitize: sanitize as NonNullable<InspectorOptions['sanitize']>,
        onError: (problem) => problems.push(problem),
      })
      const { client, runId } = shown
      const rows = await client.rows(runId, 'end')
      expect(rows.length).toBeGreaterThan(1)
      expect(new Set(rows.map(({ line }) => line))).toEqual(new Set(['[withheld]']))
      expect((await client.ask(`/runs/${runId}/rows/0`)).status).toBe(409)
      expect((await client.ask(`/runs/${runId}/view/0`)).status).toBe(409)
      expect(problems.length).toBeGreaterThan(rows.length)
    },
  )

  test.each<[string, object]>([
    ['without its events', { entry: { type: 'run.started' } }],
    ['without its entry', { events: [] }],
    ['with other things in their place', { entry: 'hidden', events: [null, 'hidden'] }],
  ])('may be an entry %s: what is left of it is shown and searched', async (_, content) => {
    const problems: Problem[] = []
    await using shown = await opened({
      sanitize: (part) => (part.type === 'entry' ? ({ ...part, content } as InspectedContent) : part),
      onError: (problem) => problems.push(problem),
    })
    const { client, runId } = shown
    expect(await client.get(`/runs/${runId}/rows/1`)).toMatchObject({
      entry: { type: expect.any(String), at: expect.any(Number) },
      events: [],
    })
    expect(await client.get(`/runs/${runId}/search?text=settled`)).toMatchObject({
      hits: expect.arrayContaining([{ row: 1, where: 'type' }].map((hit) => expect.objectContaining(hit))),
    })
    expect(problems).toEqual([])
  })

  test('changes no place of a part, and breaks no list of it', async () => {
    await using shown = await opened({
      sanitize: (content) => ({ ...content, content: { row: 99, line: 7 } }) as unknown as InspectedContent,
    })
    const { client, runId } = shown
    const rows = await client.rows(runId, 'end')
    expect(rows.map(({ row, entry, line }) => [row, entry, line])).toEqual(
      rows.map((_, position) => [position, position, '[withheld]']),
    )
    expect(rows[0]).toMatchObject({ type: 'run.started', transitions: [], events: [], actorsAdded: [] })
  })

  test('a filter that leaves pages empty does not end the list, and one that answers nothing is told', async () => {
    const problems: Problem[] = []
    await using shown = await opened({
      filter: ({ resourceId }) => {
        if (resourceId === 'odd') return undefined as never
        return resourceId !== 'other'
      },
      onError: (problem) => problems.push(problem),
    })
    const { agent, client, troupe, runId } = shown
    for (const resourceId of ['other', 'other', 'odd', 'other'])
      await (
        await troupe.start(agent, 'Rhyme', { resourceId })
      ).result
    const { items, next } = await client.get<RunPage>('/runs?limit=1')
    expect([items.map((run) => run.runId), next]).toEqual([[runId], undefined])
    expect(problems.map(({ message }) => message)).toEqual(['filter failed for a run: it is not shown'])
  })
})

test('what differs between a journal and its agents is withheld where sanitize is given', async () => {
  const store = memoryStore()
  await using first = await opened({}, store)
  const { runId } = first
  const other = worker('poet', [{ text: 'x' }], {
    otherwise: 'Done.',
    instructions: 'Tell the secret.',
  }).agent
  const messagesOf = async (agents: readonly (typeof other)[], options: InspectorOptions) => {
    const troupe = createTroupe({ agents: [...agents], store })
    await using view = inspector(troupe, options)
    const client = await Client.of(view)
    const messages: StreamMessage[] = []
    for await (const message of client.stream(runId)) messages.push(message)
    await troupe.close()
    return messages
  }
  const sanitize: InspectorOptions['sanitize'] = (part) => part
  const told = (await messagesOf([other], {})).find(({ type }) => type === 'diverged')
  expect(told).toMatchObject({ mismatch: { field: expect.any(String), recorded: expect.any(String) } })
  const hidden = (await messagesOf([other], { sanitize })).find(({ type }) => type === 'diverged')
  expect(hidden).toMatchObject({ mismatch: { recorded: null, actual: null } })
  const stranger = worker('stranger', []).agent
  const untold = (await messagesOf([stranger], { sanitize })).find(({ type }) => type === 'recorded')
  expect(untold).toMatchObject({
    error: { code: 'AGENT_NOT_HERE', message: 'The run cannot be replayed here (AGENT_NOT_HERE).' },
  })
})

test('an error of the server after its start is told, and ends nothing', async () => {
  const servers: Server[] = []
  const listen = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...given) {
    servers.push(this)
    listen.mockRestore()
    return this.listen(...(given as Parameters<Server['listen']>))
  } as Server['listen'])
  const problems: Problem[] = []
  await using shown = await opened({ onError: (problem) => problems.push(problem) })
  for (let count = 0; count < 3; count++) servers[0]?.emit('error', new Error('too many open files'))
  expect(problems).toHaveLength(3)
  expect((await shown.client.get<RunPage>('/runs')).items).toHaveLength(1)
})

test('when it is stopped, its streams end and nothing is answered any more', async () => {
  const gate = Promise.withResolvers<void>()
  const slow = worker('slow', [{ text: 'Done.', until: gate.promise }]).agent
  const troupe = createTroupe({ agents: [slow] })
  const view = inspector(troupe)
  const client = await Client.of(view)
  const run = await troupe.start(slow, 'Go')
  const stream = client.stream(run.id)
  expect((await stream.next()).value).toMatchObject({ type: 'run' })
  await view.stop()
  await view.stop()
  await expect(
    (async () => {
      for await (const message of stream) expect(message.type).not.toBe('end')
    })(),
  ).rejects.toThrow(/terminated/)
  await expect(client.ask('/service')).rejects.toThrow(/ECONNREFUSED/)
  gate.resolve()
  expect((await run.result).outcome).toBe('completed')
  await troupe.close()
})

test('a call is not held up by a reader that does not read', async () => {
  const { agent: talker } = worker('talker', [calls(), { text: hostile }], { otherwise: hostile })
  const troupe = createTroupe({ agents: [talker] })
  await using view = inspector(troupe)
  const client = await Client.of(view)
  const run = await troupe.start(talker, 'Talk')
  const stream = client.stream(run.id)
  await stream.next() // and then no more
  expect((await run.result).outcome).toBe('completed')
  await stream.return()
  await troupe.close()
})
