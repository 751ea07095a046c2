/** Behaviour 81: the events of a run over HTTP, to readers that are quick, slow or gone. */
import { createTroupe, type ErrorCode, TroupeError } from 'troupe'
import { createHandler, type HandlerOptions, type ServedTroupe } from 'troupe/http'
import { expect, test } from 'vitest'
import { Client, eventsOf, framesOf, readUntil, type Frame } from './support/client.ts'
import { speaker } from '../support/agents/speaker.ts'

const pieces = ['One ', 'two ', 'three.']

async function speaking(options: Partial<HandlerOptions> = {}, change: Partial<ServedTroupe> = {}) {
  const { agent, say } = speaker(pieces)
  const troupe = createTroupe({ agents: [agent] })
  const handler = createHandler({ ...troupe, ...change }, { authorize: 'everybody', ...options })
  const run = await troupe.start(agent, 'Speak', { runId: 'r' })
  return { troupe, run, say, client: new Client(handler) }
}

async function textUntil(frames: AsyncIterator<Frame>, isLast: (frame: Frame) => boolean): Promise<Frame[]> {
  const seen: Frame[] = []
  for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
    seen.push(next.value)
    if (isLast(next.value)) return seen
  }
  throw new Error('The stream has ended.')
}

const delta = ({ data }: Frame) => data?.type === 'text-delta'

test('a reader gets each piece as it is said, under its cursor, and the stream ends with the run', async () => {
  const { troupe, say, client } = await speaking({ retry: 250 })
  const frames = framesOf((await client.response('GET', '/runs/r/events')).body)
  expect((await frames.next()).value).toEqual({ retry: 250 })
  say(0)
  const [first] = (await textUntil(frames, delta)).slice(-1)
  expect(first).toMatchObject({
    id: expect.stringMatching(/^1:r:/),
    data: { type: 'text-delta', payload: { text: 'One ' } },
  })
  expect(first?.data).not.toHaveProperty('cursor')
  say(1)
  say(2)
  const rest: Frame[] = []
  for await (const frame of frames) rest.push(frame)
  expect(rest.at(-1)).toMatchObject({ data: { type: 'run-finish', final: true } })
  await troupe.close()
})

test('a reader that has all events of an ended run is told not to come back', async () => {
  const { troupe, say, client } = await speaking()
  for (const index of pieces.keys()) say(index)
  const { lastId } = await readUntil(
    await client.response('GET', '/runs/r/events'),
    ({ final }) => final === true,
  )
  await expect.poll(async () => (await client.get('/runs/r')).body).toMatchObject({ status: 'ended' })
  const again = await client.get('/runs/r/events', { headers: { 'last-event-id': lastId ?? '' } })
  expect(again).toMatchObject({ status: 204, body: '' })
  expect(await eventsOf(await client.response('GET', '/runs/r/events'))).not.toHaveLength(0)
  await troupe.close()
})

test('a quiet run keeps its stream open by comments', async () => {
  const { troupe, say, client } = await speaking({ heartbeat: 1 })
  const frames = framesOf((await client.response('GET', '/runs/r/events')).body)
  const quiet = await textUntil(frames, (frame) => frame.comment === true)
  expect(quiet.at(-1)).toEqual({ comment: true })
  await textUntil(frames, (frame) => frame.comment === true)
  for (const index of pieces.keys()) say(index)
  const events: Frame[] = []
  for await (const frame of frames) if (frame.data !== undefined) events.push(frame)
  expect(events.flatMap(({ data }) => (data?.type === 'text-delta' ? data.payload.text : [])).join('')).toBe(
    pieces.join(''),
  )
  await troupe.close()
})

test('a run goes on when its reader leaves, by its connection or by its request', async () => {
  const { troupe, run, say, client } = await speaking()
  await readUntil(await client.response('GET', '/runs/r/events'), ({ type }) => type === 'run-start')
  const leaving = new AbortController()
  const response = await client.response('GET', '/runs/r/events', { signal: leaving.signal })
  leaving.abort()
  const rest: Frame[] = []
  for await (const frame of framesOf(response.body)) rest.push(frame)
  expect(rest.filter(({ data }) => data?.final === true)).toEqual([])
  for (const index of pieces.keys()) say(index)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: pieces.join('') })
  await troupe.close()
})

test('a reader that takes nothing holds up no run, and is sent away; it comes back behind its last event', async () => {
  const { troupe, run, say, client } = await speaking({ readerTimeout: 1 })
  const response = await client.response('GET', '/runs/r/events')
  const reader = response.body?.getReader()
  await reader?.read()
  for (const index of pieces.keys()) say(index)
  expect(await run.result).toMatchObject({ text: pieces.join('') })
  await expect(reader?.closed).rejects.toMatchObject({ code: 'READER_TIMEOUT' }) // it has read nothing since
  const events = await eventsOf(await client.response('GET', '/runs/r/events'))
  expect(events.at(-1)).toMatchObject({ final: true })
  await troupe.close()
})

test('a server that closes ends its streams without a failure', async () => {
  const { troupe, client } = await speaking()
  const frames = framesOf((await client.response('GET', '/runs/r/events')).body)
  await textUntil(frames, ({ data }) => data?.type === 'run-start')
  await troupe.close()
  const rest: Frame[] = []
  for await (const frame of frames) rest.push(frame)
  expect(rest.filter(({ event }) => event === 'failure')).toEqual([])
})

test.each<[ErrorCode, string]>([
  ['STORE_CORRUPT', 'The server failed to answer.'],
  ['STORE_BUSY', 'The server cannot answer at the moment.'],
])('a stream that fails with %s says so, and no more than that', async (code, message) => {
  const problems: unknown[] = []
  const failing: ServedTroupe['watch'] = (runId) => ({
    runId,
    ready: Promise.resolve(),
    diverged: undefined,
    textStream: { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) },
    [Symbol.asyncIterator]: () => ({
      next: async () => Promise.reject(new TroupeError(code, 'in /var/runs.db')),
    }),
  })
  const { troupe, client } = await speaking(
    { onError: (problem) => problems.push(problem) },
    { watch: failing },
  )
  const { status, body } = await client.get('/runs/r/events')
  expect({ status, body }).toEqual({
    status: 200,
    body: `retry: 1000\n\nevent: failure\ndata: ${JSON.stringify({ code: 'SERVER_FAILED', message })}\n\n`,
  })
  expect(problems).toMatchObject([{ where: 'request', runId: 'r', error: { code } }])
  await troupe.close()
})

test('a run whose agents are not here has no events here', async () => {
  const { agent } = speaker(pieces)
  const { troupe, client } = await speaking(
    { onError: () => undefined },
    {
      watch: () => {
        throw new TroupeError('AGENT_NOT_HERE', `The agent "${agent.id}" is not here.`)
      },
    },
  )
  expect(await client.get('/runs/r/events')).toMatchObject({
    status: 409,
    body: { error: { code: 'AGENT_NOT_HERE', message: 'The run cannot go on here.' } },
  })
  await troupe.close()
})
