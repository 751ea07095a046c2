/** Behaviour 81 over real connections: a server on Hono that is killed in the midst of a text, and started again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { RunEvent } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { Client, eventsOf, framesOf } from './support/client.ts'

let folder: TemporaryFolder
const servers = new Set<ChildProcess>()

beforeAll(() => {
  folder = temporaryFolder()
})

afterAll(() => {
  for (const server of servers) server.kill('SIGKILL')
  folder[Symbol.dispose]()
})

const root = join(import.meta.dirname, '../..')

async function start(...args: readonly string[]): Promise<{ client: Client; kill: () => Promise<void> }> {
  const program = join(import.meta.dirname, 'support/server-process.ts')
  const flags = ['--conditions=troupe-source', program, folder.file('runs.db'), ...args]
  const server = spawn(process.execPath, flags, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  servers.add(server)
  const [port] = (await once(server.stdout, 'data')) as [Buffer]
  const origin = `http://127.0.0.1:${port.toString().trim()}`
  const client = new Client(async (request) => {
    const { pathname, search } = new URL(request.url)
    const body = request.method === 'POST' ? { body: await request.text() } : {}
    return fetch(`${origin}/api${pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      ...body,
    })
  })
  return {
    client,
    async kill() {
      server.kill('SIGKILL')
      await once(server, 'exit')
      servers.delete(server)
    },
  }
}

test('a reader has the whole text once, when the server is killed in the midst of it', async () => {
  const first = await start('7')
  expect(await first.client.post('/agents/solo/runs', { prompt: 'Go', runId: 'r' })).toMatchObject({
    status: 201,
  })
  const seen: RunEvent[] = []
  let lastId = ''
  const stream = await first.client.response('GET', '/runs/r/events')
  const broken = async (): Promise<void> => {
    for await (const { id, data } of framesOf(stream.body)) {
      if (data === undefined) continue
      seen.push(data)
      lastId = id ?? ''
      if (data.type === 'text-delta' && data.payload.text.includes('word6')) await first.kill()
    }
  }
  await expect(broken()).rejects.toThrow('terminated') // the connection is lost
  expect(seen.at(-1)).toMatchObject({ type: 'text-delta' })

  const second = await start()
  expect(await second.client.post('/agents/solo/runs', { prompt: 'Go', runId: 'r' })).toMatchObject({
    status: 200,
  })
  const rest = await eventsOf(
    await second.client.response('GET', '/runs/r/events', { headers: { 'last-event-id': lastId } }),
  )
  const all = [...seen, ...rest]
  const numbers = all.flatMap(({ seq }) => seq ?? [])
  expect(new Set(numbers).size).toBe(numbers.length)
  const text = Array.from({ length: 40 }, (_, index) => `word${index} `).join('')
  const pieces = all.flatMap((event) => (event.type === 'text-delta' ? [event] : []))
  const last = pieces.at(-1)?.attempt
  expect(
    pieces
      .filter(({ attempt }) => attempt === last)
      .map(({ payload }) => payload.text)
      .join(''),
  ).toBe(text)
  expect(all.at(-1)).toMatchObject({ type: 'run-finish', payload: { outcome: 'completed', text } })
  await second.kill()
})
