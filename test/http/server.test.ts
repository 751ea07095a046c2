/** Behaviour 81 over real connections: a server on Hono that is killed in the midst of a text, and started again. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { HttpAgent } from '@ag-ui/client'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
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

const text = Array.from({ length: 40 }, (_, index) => `word${index} `).join('')
const root = join(import.meta.dirname, '../..')

interface Server {
  readonly client: Client
  readonly origin: string
  kill(): Promise<void>
}

async function start(file: string, ...args: readonly string[]): Promise<Server> {
  const program = join(import.meta.dirname, 'support/server-process.ts')
  const server = spawn(process.execPath, [program, folder.file(file), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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
    origin,
    async kill() {
      server.kill('SIGKILL')
      await once(server, 'exit')
      servers.delete(server)
    },
  }
}

test('a reader has the whole text once, when the server is killed in the midst of it', async () => {
  const first = await start('runs.db', '7')
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

  const second = await start('runs.db')
  expect(await second.client.post('/agents/solo/runs', { prompt: 'Go', runId: 'r' })).toMatchObject({
    status: 200,
  })
  const rest = await eventsOf(
    await second.client.response('GET', '/runs/r/events', { headers: { 'last-event-id': lastId } }),
  )
  const all = [...seen, ...rest]
  const numbers = all.flatMap(({ seq }) => seq ?? [])
  expect(new Set(numbers).size).toBe(numbers.length)
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

test('a page of useChat that comes back to the server that was killed has the whole text once', async () => {
  const first = await start('chat.db', '7')
  const chat = {
    chatId: 'c',
    messageId: undefined,
    abortSignal: undefined,
    trigger: 'submit-message',
  } as const
  let runId = ''
  const transportTo = ({ origin }: Server): DefaultChatTransport<UIMessage> =>
    new DefaultChatTransport({
      api: `${origin}/ai-sdk/agents/solo/chat`,
      prepareReconnectToStreamRequest: ({ api, id }) => ({ api: `${api}/${id}/stream?runId=${runId}` }),
    })
  const go: UIMessage = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Go' }] }
  const half = await transportTo(first).sendMessages({ ...chat, messages: [go] })
  const broken = async (): Promise<void> => {
    for await (const message of messagesOf(half)) {
      runId = message.id
      if (textOf(message).endsWith('word6 ')) await first.kill()
    }
  }
  await expect(broken()).rejects.toThrow('terminated')

  const second = await start('chat.db')
  const stream = await transportTo(second).reconnectToStream({ chatId: 'c' })
  if (stream === null) throw new Error('The run is not there.')
  let last: UIMessage | undefined
  for await (const message of messagesOf(stream)) last = message
  expect(last?.parts.filter(({ type }) => type === 'text')).toHaveLength(1)
  expect(last && textOf(last)).toBe(text)
  await second.kill()
})

test('a page of AG-UI that asks again for its run at the server that was killed has the whole text once', async () => {
  const first = await start('ag-ui.db', '7')
  const messages = [{ id: 'm', role: 'user', content: 'Go' }] as const
  // The page is lost together with the server: its client does not tell of a connection that breaks.
  const response = await fetch(`${first.origin}/ag-ui/agents/solo/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ runId: 'r', threadId: 'c', messages, tools: [], context: [] }),
  })
  const broken = async (): Promise<void> => {
    for await (const { data } of framesOf(response.body))
      if (JSON.stringify(data ?? '').includes('word6 ')) await first.kill()
  }
  await expect(broken()).rejects.toThrow('terminated')

  const second = await start('ag-ui.db')
  const page = new HttpAgent({ url: `${second.origin}/ag-ui/agents/solo/run`, threadId: 'c' })
  page.setMessages([...messages])
  await page.runAgent({ runId: 'r' })
  expect(page.messages).toMatchObject([{ role: 'user' }, { role: 'assistant', content: text }])
  await second.kill()
})

/** As a page reads them, whose reader takes every chunk. */
function messagesOf(stream: ReadableStream<UIMessageChunk>): AsyncIterable<UIMessage> {
  return readUIMessageStream({ stream, terminateOnError: true })
}

function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')
}
