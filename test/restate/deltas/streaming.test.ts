/** What is streamed by workers reaches readers, and is told apart from what lasts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent, type ChatModel, type RunEvent } from 'troupe'
import {
  memoryDeltas,
  readDeltas,
  restateEndpoint,
  restateTroupe,
  serveDeltas,
  type DeltaSink,
  type DeltaSource,
  type RestateListener,
} from 'troupe/restate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'
import { allOf } from '../../support/all-of.ts'
import { RestateServer } from '../../../scripts/restate/server.ts'
import { natsBroker, redisBroker } from '../adapters/brokers.ts'
import { natsDeltas } from '../adapters/nats-deltas.ts'
import { redisSink, redisSource } from '../adapters/redis-deltas.ts'

let server: RestateServer
const listeners: RestateListener[] = []

beforeAll(async () => {
  server = await RestateServer.start()
})

afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.close()))
  await server.stop()
})

/** The texts of the root agent, and whether each was streamed past the journal. */
function textsOf(events: readonly RunEvent[]): { readonly text: string; readonly isStreamed: boolean }[] {
  return events.flatMap((event) =>
    event.type === 'text-delta' && event.path === 'boss'
      ? [{ text: event.payload.text, isStreamed: event.seq === undefined }]
      : [],
  )
}

async function readAlong(namespace: string, sink: DeltaSink, source: DeltaSource) {
  const gate = Promise.withResolvers<void>()
  const { agent: writer } = worker('writer', ['A short text.'])
  const { agent } = lead(
    'boss',
    [calls(to('writer', 'Write')), { text: 'All is well.', until: gate.promise }],
    {
      agents: { writer },
    },
  )
  const listener = await restateEndpoint({
    agents: [agent],
    namespace,
    deltas: sink,
    logger: () => undefined,
  }).listen({ port: 0 })
  listeners.push(listener)
  await server.register(listener.port)
  const config = { ingress: server.ingress, namespace, agents: [agent], pollInterval: 10 }
  const troupe = restateTroupe({ ...config, deltas: source })
  const run = await troupe.start(agent, 'Go')
  const events: RunEvent[] = []
  for await (const event of run.events) {
    events.push(event)
    if (event.type === 'delegation-end') gate.resolve()
  }
  // One who comes later reads the whole, each message as one.
  const later: RunEvent[] = []
  for await (const event of (await restateTroupe(config).resume(run.id)).events) later.push(event)
  return { events, later }
}

/** A reader gets each message once: as it is written, or whole. */
function expectStreamed({ events, later }: Awaited<ReturnType<typeof readAlong>>): void {
  const texts = textsOf(events)
  expect(texts.map(({ text }) => text).join('')).toBe('All is well.')
  expect(texts.map(({ isStreamed }) => isStreamed)).not.toContain(false)
  expect(textsOf(later)).toEqual([{ text: 'All is well.', isStreamed: false }])
}

describe('deltas', () => {
  test('within a process', async () => {
    const deltas = memoryDeltas()
    expectStreamed(await readAlong('inside', deltas, deltas))
  })

  test('from a worker that serves them', async () => {
    const served = await serveDeltas()
    try {
      const source = readDeltas({ workers: [`http://127.0.0.1:${served.port}`] })
      expectStreamed(await readAlong('served', served, source))
    } finally {
      await served.close()
    }
  })

  test('over Redis', async () => {
    const { client, broker } = redisBroker()
    expectStreamed(await readAlong('redis', redisSink(client), redisSource(client)))
    await expect.poll(() => broker.isQuiet).toBe(true)
  })

  test('over NATS', async () => {
    const { connection, broker } = natsBroker()
    expectStreamed(await readAlong('nats', natsDeltas(connection), natsDeltas(connection)))
    await expect.poll(() => broker.isQuiet).toBe(true)
  })

  test('while Redis or NATS is away nothing throws, and messages come whole', async () => {
    const { client } = redisBroker()
    client.isReady = false
    const { connection, state } = natsBroker()
    state.isUp = false
    const ways = {
      redis: [redisSink(client), redisSource(client)],
      nats: Array(2).fill(natsDeltas(connection)),
    }
    for (const [name, [sink, source]] of Object.entries(ways)) {
      const { events, later } = await readAlong(`${name}-away`, sink, source)
      expect(textsOf(events)).toEqual([{ text: 'All is well.', isStreamed: false }])
      expect(textsOf(later)).toEqual(textsOf(events))
    }
  })

  test.each(['redis', 'nats'])('docs/reference/deltas.md shows the tested adapter for %s', (name) => {
    const root = join(import.meta.dirname, '../../..')
    const adapter = readFileSync(join(root, `test/restate/adapters/${name}-deltas.ts`), 'utf8')
    const fence = '`'.repeat(3)
    const shown = ['', `${fence}ts`, `${adapter}${fence}`, ''].join('\n')
    expect(readFileSync(join(root, 'docs/reference/deltas.md'), 'utf8')).toContain(shown)
  })

  test('what asks for no run is refused, and the worker goes on', async () => {
    const served = await serveDeltas()
    try {
      const ask = async (path: string, init?: RequestInit) =>
        (await fetch(`http://127.0.0.1:${served.port}${path}`, init)).status
      expect([await ask('/%E0%A4%A'), await ask('/'), await ask('/x', { method: 'POST' })]).toEqual([
        404, 404, 404,
      ])
    } finally {
      await served.close()
    }
  })

  test('no address is no worker', () => {
    expect(() => readDeltas({ workers: ['here'] })).toThrow(
      'workers must be a list of addresses, not ["here"].',
    )
    expect(() => readDeltas({ workers: [] })).toThrow('workers must be a list of addresses, not [].')
  })
})

/** The model says one thing and hangs; when it is asked again, it says the other. */
async function dieInMidMessage(namespace: string, first: string, again: string) {
  const begun = Promise.withResolvers<void>()
  let calls = 0
  const model: ChatModel = {
    provider: 'test',
    modelId: 'halting',
    async generate(_request, { onDelta }) {
      const text = calls++ === 0 ? first : again
      for (const word of text.split(/(?<= )/)) onDelta?.({ type: 'text', text: word })
      begun.resolve()
      if (calls === 1) await new Promise(() => undefined)
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      return { text, toolCalls: [], finishReason: 'stop', usage }
    },
  }
  const agent = createAgent({ id: 'halting', instructions: 'Speak.', model })
  const deltas = memoryDeltas()
  const endpoint = restateEndpoint({ agents: [agent], namespace, deltas, logger: () => undefined })
  const dying = await endpoint.listen({ port: 0 })
  await server.register(dying.port)
  const config = { ingress: server.ingress, namespace, agents: [agent], pollInterval: 10, deltas }
  const run = await restateTroupe(config).start(agent, 'Go')
  const reading = Promise.all([allOf(run.events), allOf(run.textStream)])
  await begun.promise
  await dying.close()
  listeners.push(await endpoint.listen({ port: dying.port }))
  const [events, texts] = await reading
  const streamed = events.flatMap((event) =>
    event.type === 'text-start' || event.type === 'text-delta'
      ? [{ messageId: event.messageId, attempt: event.attempt }]
      : [],
  )
  const textOfAttempt = (attempt: number | undefined) =>
    events
      .flatMap((event) =>
        event.type === 'text-delta' && event.attempt === attempt ? [event.payload.text] : [],
      )
      .join('')
  return { streamed, textOfAttempt, texts: texts.join(''), result: await run.result }
}

describe('a worker that dies in the midst of a message', () => {
  test('another attempt says which it is, and what it says again is told once', async () => {
    const first = 'The capital is '
    const again = 'The capital is Oslo.'
    const { streamed, textOfAttempt, texts, result } = await dieInMidMessage('repeating', first, again)
    expect(result).toMatchObject({ outcome: 'completed', text: again })
    expect(new Set(streamed.map(({ messageId }) => messageId)).size).toBe(1)
    expect(textOfAttempt(undefined)).toBe(first)
    expect(textOfAttempt(2)).toBe(again)
    expect(texts).toBe(again)
  })

  test('one that says something else is told in full', async () => {
    const first = 'The capital is '
    const again = 'The capital of Norway is Oslo.'
    const { textOfAttempt, texts } = await dieInMidMessage('differing', first, again)
    expect(textOfAttempt(undefined)).toBe(first)
    expect(textOfAttempt(2)).toBe(again)
    expect(texts).toBe(`${first}${again}`)
  })
})
