/** The page that an inspector serves: to this machine alone, and with all that was before. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { createContext, runInContext } from 'node:vm'
import type { StatelyActorEvent, StatelyInspectionEvent } from '@statelyai/inspect'
import { createTroupe } from 'troupe'
import { statelyInspector } from 'troupe/inspect-stately'
import { expect, test } from 'vitest'
import { pageHtml, PageServer } from '../../src/inspect-stately/page-server.ts'
import { worker } from '../support/agents/agents.ts'
import { isRunEnd, namesIn } from './receivers.ts'

interface Sent {
  readonly id: string
  readonly message: StatelyInspectionEvent
}

/** Settles when the page has answered; `sent` when its messages have ended. */
async function openMessages(page: string, headers: Record<string, string> = {}) {
  const response = await fetch(new URL('messages', page), { headers })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return { sent: response.text().then(parseMessages) }
}

function parseMessages(text: string): Sent[] {
  const [retry, ...events] = text.split('\n\n')
  expect(retry).toBe('retry: 1000')
  return events.slice(0, -1).map((event) => {
    const [, id = '', data = ''] = /^id: (.*)\ndata: (.*)$/.exec(event) ?? []
    return { id, message: JSON.parse(data) as StatelyInspectionEvent }
  })
}

async function namesSent({ sent }: { sent: Promise<Sent[]> }): Promise<string[]> {
  return namesIn((await sent).map(({ message }) => message))
}

async function status(url: string, host: string): Promise<number | undefined> {
  const [response] = (await once(get(url, { setHost: false, headers: { host } }), 'response')) as [
    IncomingMessage,
  ]
  response.destroy()
  return response.statusCode
}

async function runScout(inspector: ReturnType<typeof statelyInspector>): Promise<string[]> {
  const { agent } = worker('scout', ['Found.'])
  const run = await createTroupe({ agents: [agent], inspect: inspector.inspect }).start(agent, 'Go')
  await run.result
  return [`run ${run.id}`, 'scout', 'scout/model#1']
}

test('readers get all messages, however late they come, and then the end', async () => {
  const inspector = statelyInspector({ port: 0 })
  const page = (await inspector.page) ?? ''
  expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/$/)
  const early = await openMessages(page)
  const names = await runScout(inspector)
  const late = await openMessages(page)
  await inspector.stop()
  const messages = await early.sent
  expect(await namesSent(early)).toEqual(names)
  expect(messages.some(({ message }) => isRunEnd(message))).toBe(true)
  expect(await late.sent).toEqual(messages)
  await expect(fetch(page)).rejects.toThrow('fetch failed')
})

test('a reader that comes back goes on where it was; one of another process begins anew', async () => {
  const server = new PageServer(0, new URL('https://stately.ai/inspect'), fail)
  const page = (await server.address) ?? ''
  for (const name of ['a', 'b', 'c']) server.send(actor(name))
  const cut = (await fetch(new URL('messages', page))).body?.getReader()
  let text = ''
  while (!/^id: .*\.2$/m.test(text)) text += new TextDecoder().decode((await cut?.read())?.value)
  await cut?.cancel()

  const seen = /^id: (.*\.2)$/m.exec(text)?.[1] ?? ''
  const back = await openMessages(page, { 'last-event-id': seen })
  const other = await openMessages(page, { 'last-event-id': 'another.2' })
  await server.stop()
  expect(await namesSent(back)).toEqual(['c'])
  expect(await namesSent(other)).toEqual(['a', 'b', 'c'])
})

test('a reader that does not read is let go, and costs the others nothing', async () => {
  const server = new PageServer(0, new URL('https://stately.ai/inspect'), () => undefined)
  const page = (await server.address) ?? ''
  const stuck = connect(Number(new URL(page).port), '127.0.0.1')
  stuck.write(`GET ${new URL('messages', page).pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await once(stuck, 'data')
  stuck.pause()
  const good = (await fetch(new URL('messages', page))).body?.getReader()
  const megabyte = 2 ** 20
  let bytes = 0
  for (let sent = 1; sent <= 64; sent++) {
    server.send(actor('a', 'x'.repeat(megabyte)))
    while (bytes < sent * megabyte) bytes += (await good?.read())?.value?.length ?? 0
  }
  stuck.resume()
  await once(stuck, 'close')
  expect(stuck.bytesRead).toBeLessThan(bytes)
  await Promise.all([server.stop(), good?.cancel()])
})

test('what is on its way when the inspector is stopped still arrives', async () => {
  const server = new PageServer(0, new URL('https://stately.ai/inspect'), fail)
  const page = (await server.address) ?? ''
  const reader = await openMessages(page)
  const definition = 'x'.repeat(2 ** 23)
  server.send(actor('a', definition))
  await server.stop()
  expect((await reader.sent).map(({ message }) => message)).toEqual([actor('a', definition)])
})

test('only this machine may ask, and only for what there is', async () => {
  const inspector = statelyInspector({ inspectorPage: 'https://inspector.example/?a="&b' })
  const page = (await inspector.page) ?? ''
  const served = await fetch(page)
  const html = await served.text()
  const policy = served.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain('frame-src https://inspector.example;')
  expect(policy).toContain("frame-ancestors 'none'")
  for (const tag of ['script', 'style']) {
    const [, text = ''] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(html) ?? []
    const hash = createHash('sha256').update(text).digest('base64')
    expect(policy).toContain(`${tag}-src 'sha256-${hash}'`)
  }
  expect(served.headers.get('referrer-policy')).toBe('no-referrer')
  expect(html).toContain('<iframe id="inspector" src="https://inspector.example/?a=%22&amp;b"></iframe>')
  const own = new URL(page).host
  expect(await status(page, own)).toBe(200)
  expect(await status(page, 'localhost:1234')).toBe(200)
  expect(await status(`${page}messages`, 'evil.example')).toBe(403)
  expect(await status(`${page}messages`, '')).toBe(403)
  expect(await status(page, '[::1]:1234')).toBe(200)
  expect(await status(page, '127.0.0.1.evil.example')).toBe(403)
  expect(await status(`${page}other`, own)).toBe(404)
  for (const path of [
    '/',
    '/messages',
    '/wrong/',
    '/wrong/messages',
    page.slice(0, -2).replace(/^.*:\d+/, ''),
  ])
    expect(await status(new URL(path, page).href, own)).toBe(403)
  expect(await status(`${page}/`, own)).toBe(404)
  await inspector.stop()
})

test('the page passes messages on to the inspector in it, as soon as that is ready', () => {
  const passed: unknown[] = []
  const contentWindow = { postMessage: (message: unknown, origin: string) => passed.push([message, origin]) }
  let onMessage: (event: { source: unknown; data: unknown }) => void = fail
  const sources: { url: string; onmessage?: (event: { data: string }) => void }[] = []
  const page = createContext({
    document: { getElementById: (id: string) => (id === 'inspector' ? { contentWindow } : null) },
    addEventListener: (_type: string, listener: typeof onMessage) => (onMessage = listener),
    EventSource: function (this: (typeof sources)[number], url: string) {
      this.url = url
      sources.push(this)
    },
  })
  const html = pageHtml(new URL('https://stately.ai/inspect'))
  runInContext(/<script>([^]*)<\/script>/.exec(html)?.[1] ?? '', page)
  const [source] = sources
  expect(source?.url).toBe('messages')

  source?.onmessage?.({ data: '{"n":1}' })
  onMessage({ source: {}, data: { type: '@statelyai.connected' } })
  onMessage({ source: contentWindow, data: 'something else' })
  expect(passed).toEqual([])
  onMessage({ source: contentWindow, data: { type: '@statelyai.connected' } })
  source?.onmessage?.({ data: '{"n":2}' })
  expect(passed).toEqual([
    [{ n: 1 }, 'https://stately.ai'],
    [{ n: 2 }, 'https://stately.ai'],
  ])
})

function actor(name: string, definition = '{}'): StatelyActorEvent {
  return {
    type: '@xstate.actor',
    name,
    sessionId: name,
    rootId: name,
    parentId: undefined,
    definition,
    snapshot: { status: 'active' },
    id: '',
    createdAt: '0',
    _version: '0.7.2',
  }
}

function fail(...details: unknown[]): never {
  throw new Error(`Not expected: ${JSON.stringify(details)}`)
}
