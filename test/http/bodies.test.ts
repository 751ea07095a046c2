/** Behaviour 83: bodies and addresses from anywhere: each is answered with its fault, and changes nothing. */
import { expect, test, afterAll } from 'vitest'
import { resultsOf } from '../../src/http/ag-ui-wire/results.ts'
import { readChat } from '../../src/http/ai-sdk-wire/chat-request.ts'
import { openDesk } from './support/desk.ts'

const { troupe, client } = openDesk({ maxBodyBytes: 3_000 })
const ann = client.as('ann')
afterAll(() => troupe.close())

const start = '/agents/desk/runs'
const deep = `${'['.repeat(400)}${']'.repeat(400)}`

test.each<[string, number, unknown]>([
  ['no JSON', 400, '{'],
  ['no object', 400, '[]'],
  ['null', 400, 'null'],
  ['nothing', 400, ''],
  ['no UTF-8', 400, new Uint8Array([0x7b, 0xff, 0x7d])],
  ['no prompt', 400, {}],
  ['an empty prompt', 400, { prompt: ' ' }],
  ['a prompt of another type', 400, { prompt: 7 }],
  ['a prompt of the assistant', 400, { prompt: [{ role: 'assistant', content: 'x' }] }],
  ['a system message', 400, { prompt: [{ role: 'system', content: 'x' }] }],
  ['messages that nest', 400, `{"prompt":${deep}}`],
  ['a body that nests', 400, `{"prompt":"Go","input":${'['.repeat(1_000)}${']'.repeat(1_000)}}`],
  ['a field too many', 400, { prompt: 'Go', promt: 'Go' }],
  ['a prototype', 400, '{"prompt":"Go","__proto__":{"runId":"x"},"constructor":1}'],
  [
    'a file by its reference',
    400,
    { prompt: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', ref: 'a'.repeat(64) }] }] },
  ],
  [
    'a file by a local address',
    400,
    {
      prompt: [
        { role: 'user', content: [{ type: 'file', mediaType: 'image/png', url: 'file:///etc/passwd' }] },
      ],
    },
  ],
  ['an id with a slash', 400, { prompt: 'Go', runId: '../x' }],
  ['an id that no address has', 400, { prompt: 'Go', runId: '.' }],
  ['an id that leads to another address', 400, { prompt: 'Go', runId: '..' }],
  ['too many bytes', 413, { prompt: 'x'.repeat(3_001) }],
])('a start with %s', async (_, status, body) => {
  const answer = await ann.post(start, body)
  expect(answer).toMatchObject({
    status,
    body: { error: { code: expect.any(String), message: expect.any(String) } },
  })
  expect(JSON.stringify(answer.body).length).toBeLessThan(600)
  expect((await ann.get('/runs')).body).toEqual({ items: [] })
})

test('a long body is not read to its end, also where its length is not told', async () => {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 500
      controller.enqueue(new Uint8Array(500).fill(32))
    },
  })
  const request = new Request(`http://test.example${start}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-user': 'ann' },
    duplex: 'half',
  } as RequestInit)
  expect(await client.send(request)).toMatchObject({ status: 413 })
  expect(sent).toBeLessThan(5_000)
})

test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx'])(
  'a form of a foreign page cannot send a body of the type %s',
  async (type) => {
    const answer = await ann.ask('POST', start, {
      body: '{"prompt":"Go"}',
      headers: { 'content-type': type },
    })
    expect(answer.status).toBe(415)
  },
)

test.each<[method: string, path: string, status: number, allow?: string]>([
  ['PUT', '/runs', 405, 'GET'],
  ['POST', '/runs/x', 405, 'GET, DELETE'],
  ['GET', '/agents/desk/runs', 405, 'POST'],
  ['OPTIONS', '/runs', 405, 'GET'],
  ['HEAD', '/runs', 405, 'GET'],
  ['GET', '/', 404],
  ['GET', '/runs/', 404],
  ['GET', '/runs/%E0%A4%A', 400],
  ['GET', '/runs?limit=0', 400],
  ['GET', '/runs?limit=1e9', 400],
  ['GET', '/runs?order=up', 400],
  ['GET', '/runs?agnet=desk', 400],
  ['GET', '/runs?agent=a&agent=b', 400],
  ['GET', '/runs?before=x', 400],
  ['GET', '/awaiting?before=r1', 400],
])('%s %s', async (method, path, status, allow) => {
  const answer = await ann.ask(method, path)
  expect(answer.status).toBe(status)
  if (allow !== undefined) expect(answer.headers.get('allow')).toBe(allow)
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test.each<[path: string, body: unknown, status: number]>([
  ['answers', { type: 'say', message: 'x' }, 400],
  ['answers', { type: 'approve' }, 409],
  ['answers', { type: 'approve', toolCallId: 'none' }, 409],
  ['answers', { type: 'approve', toolCallId: 7 }, 400],
  ['answers', { type: 'approve', toolCallId: { toString: 7 } }, 400],
  ['answers', { type: 'approve', toolCallId: 'x', by: 'ben' }, 400],
  ['answers', { type: 'deny', toolCallId: 'x', reson: 'no' }, 400],
  ['messages', { message: '' }, 400],
  ['messages', { message: 'x', by: 'ben' }, 400],
  ['messages', { message: [{ type: 'file', mediaType: 'image/png', ref: 'a'.repeat(64) }] }, 400],
  ['messages', { type: 'cancel', message: 'x' }, 400],
  ['cancel', { delegationID: 'x' }, 400],
  ['cancel', { delegationId: 'none' }, 409],
])('a signal by the route %s with %j', async (path, body, status) => {
  const { runId } = (await ann.post(start, { prompt: 'Go', runId: `signals-${crypto.randomUUID()}` }))
    .body as {
    runId: string
  }
  expect(await ann.post(`/runs/${runId}/${path}`, body)).toMatchObject({ status })
  await troupe.cancel(runId)
  await expect.poll(async () => (await ann.get(`/runs/${runId}`)).body).toMatchObject({ status: 'ended' })
  await troupe.delete(runId)
})

test('a cursor that is none, and one of another run, are refused', async () => {
  const { runId } = (await ann.post(start, { prompt: 'Go' })).body as { runId: string }
  for (const cursor of ['x', '1:other:desk=1.0', '<script>']) {
    const answer = await ann.get(`/runs/${runId}/events?after=${encodeURIComponent(cursor)}`)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
  }
})

test('a body within its bytes may have too many values', async () => {
  const open = openDesk()
  const many = JSON.stringify({ prompt: 'Go', input: Array.from({ length: 100_001 }, () => 1) })
  const answer = await open.client.as('ann').post(start, many)
  expect(answer).toMatchObject({ status: 413, body: { error: { code: 'REQUEST_TOO_LARGE' } } })
  expect(JSON.stringify(answer.body)).toContain('more than 100000 values')
  await open.troupe.close()
})

test('a chat with many outputs is read in the time of its length', () => {
  const chat = (number: number) => ({
    id: 'chat',
    messages: [
      {
        id: 'run',
        role: 'assistant',
        parts: Array.from({ length: number }, (_, index) => [
          { type: 'data-question', id: `call-${index}`, data: { since: index } },
          { type: 'tool-look', toolCallId: `run/call-${index}`, state: 'output-available', output: index },
        ]).flat(),
      },
    ],
  })
  const time = (number: number): number => {
    const body = chat(number)
    const begun = performance.now()
    const read = readChat(body, '/')
    expect(read.type === 'answers' && read.outputs.at(-1)).toMatchObject({ since: number - 1 })
    return performance.now() - begun
  }
  time(1_000)
  const short = time(1_000)
  // In quadratic time it would be 400 times.
  expect(time(20_000)).toBeLessThan(80 * Math.max(short, 2))
})

test('a page gives at most 1000 results of its tools at once', () => {
  const results = (number: number) =>
    Array.from({ length: number }, (_, index) => ({
      role: 'tool',
      toolCallId: `run:call-${index}`,
      content: 'x',
    }))
  expect(resultsOf(results(1_000))).toHaveLength(1_000)
  expect(() => resultsOf(results(1_001))).toThrow('more than 1000 results')
})
