/** What a worker listens on answers those alone who may ask. */
import { once } from 'node:events'
import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { connect } from 'node:http2'
import type { Problem } from 'troupe'
import {
  readDeltas,
  restateEndpoint,
  serveDeltas,
  type DeltaServerOptions,
  type WorkerDelta,
} from 'troupe/restate'
import { describe, expect, onTestFinished, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'

async function served(options?: DeltaServerOptions) {
  const server = await serveDeltas(options)
  onTestFinished(() => server.close())
  return server
}

async function ask(port: number, headers: OutgoingHttpHeaders): Promise<number | undefined> {
  const request = get({ port, host: '127.0.0.1', path: '/run', setHost: false, headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.destroy()
  return response.statusCode
}

const delta: WorkerDelta = {
  type: 'text-delta',
  payload: { text: 'Hi' },
  at: 1,
  runId: 'run',
  agent: 'a',
  path: 'a',
  messageId: 'm',
  execution: 'e',
  index: 0,
}

describe('served deltas', () => {
  test('are for requests by a name of this machine', async () => {
    const { port } = await served()
    const statuses = await Promise.all(
      [
        `127.0.0.1:${port}`,
        'localhost',
        `[::1]:${port}`,
        'evil.example',
        'localhost.evil.example',
        '10.1.2.3',
        '',
      ].map((host) => ask(port, { host })),
    )
    expect(statuses).toEqual([200, 200, 200, 403, 403, 403, 403])
  })

  test('of a server that others reach are for addresses and for the names that it was given', async () => {
    const { port } = await served({ host: '0.0.0.0', hostnames: ['Worker-1.internal'] })
    const statuses = await Promise.all(
      ['worker-1.internal:80', '10.1.2.3', 'localhost', 'evil.example'].map((host) => ask(port, { host })),
    )
    expect(statuses).toEqual([200, 200, 200, 403])
  })

  test('with a token are for those who send it', async () => {
    const { port } = await served({ token: 'open sesame' })
    const host = 'localhost'
    const statuses = await Promise.all(
      [
        {},
        { authorization: 'Bearer open sesam' },
        { authorization: 'open sesame' },
        { authorization: 'Bearer open sesame' },
      ].map((headers) => ask(port, { host, ...headers })),
    )
    expect(statuses).toEqual([401, 401, 401, 200])
    expect(await ask(port, { host: 'evil.example', authorization: 'Bearer open sesame' })).toBe(403)
  })

  test('come to a reader with the token; one without it is told once', async () => {
    const server = await served({ token: 'open sesame' })
    const workers = [`http://127.0.0.1:${server.port}`]
    const taken: WorkerDelta[] = []
    onTestFinished(readDeltas({ workers, token: 'open sesame' }).subscribe('run', (one) => taken.push(one)))
    const problems: Problem[] = []
    const stranger = readDeltas({ workers, token: 'wrong', onError: (problem) => problems.push(problem) })
    onTestFinished(stranger.subscribe('run', () => expect.fail('It must not read')))
    await expect
      .poll(() => {
        server.publish(delta)
        return taken.length > 0 && problems.length > 0
      })
      .toBe(true)
    expect(problems).toEqual([expect.objectContaining({ where: 'observer' })])
    expect(JSON.stringify(problems)).not.toContain('wrong')
  })

  test.each<[object]>([[{ token: '' }], [{ token: 1 }], [{ tokn: 'x' }]])(
    'with %j are refused',
    async (options) => {
      await expect(serveDeltas(options)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
      expect(() => readDeltas({ workers: ['http://localhost'], ...options })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
      )
    },
  )
})

/** A discovery, as Restate's server asks for it. */
async function discover(port: number, headers: Record<string, string> = {}): Promise<number | undefined> {
  const session = connect(`http://127.0.0.1:${port}`)
  const accept = 'application/vnd.restate.endpointmanifest.v4+json'
  const request = session.request({ ':path': '/discover', accept, ...headers })
  const [response] = (await once(request, 'response')) as [Record<string, unknown>]
  session.destroy()
  return Number(response[':status'])
}

describe('a worker', () => {
  const { agent } = worker('keyed', ['Done.'])
  const identityKeys = ['publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f']

  test('with identity keys refuses what was not signed', async () => {
    const open = await restateEndpoint({ agents: [agent], logger: () => undefined }).listen({ port: 0 })
    onTestFinished(() => open.close())
    expect(await discover(open.port)).toBe(200)
    const keyed = restateEndpoint({ agents: [agent], identityKeys, logger: () => undefined })
    const listener = await keyed.listen({ port: 0 })
    onTestFinished(() => listener.close())
    expect(await discover(listener.port)).toBe(401)
    const forged = { 'x-restate-signature-scheme': 'v1', 'x-restate-jwt-v1': 'a.b.c' }
    expect(await discover(listener.port, forged)).toBe(401)
  })

  test.each<[unknown]>([[[]], ['publickeyv1_x'], [['key']], [[1]]])('with the keys %j is refused', (keys) => {
    expect(() => restateEndpoint({ agents: [agent], identityKeys: keys as string[] })).toThrow(
      'restateEndpoint: identityKeys must be a list of keys',
    )
  })
})
