/** `nodeFetch` beside the `fetch` of the platform: what a caller sees of both is the same. */
import { Agent as HttpAgent, createServer } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { nodeFetch } from 'troupe/node-http'
import { startServer, type LocalServer } from './support/server.ts'

let server: LocalServer
let other: LocalServer
const httpAgent = new HttpAgent({ keepAlive: true })
const ours = nodeFetch({ httpAgent })

beforeAll(async () => {
  server = await startServer()
  other = await startServer()
})
afterAll(async () => {
  httpAgent.destroy()
  await server[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})

type Call = (fetch: typeof globalThis.fetch) => Promise<Response>

const form = () => {
  const data = new FormData()
  data.set('name', 'value')
  return data
}

const calls: Record<string, Call> = {
  'a GET': (fetch) => fetch(`${server.url}/echo?a=1`),
  'a URL object': (fetch) => fetch(new URL('/echo', server.url)),
  'a fragment': (fetch) => fetch(`${server.url}/echo#part`),
  'a text': (fetch) => fetch(`${server.url}/echo`, { method: 'POST', body: 'Grüße' }),
  'a text of a stated type': (fetch) =>
    fetch(`${server.url}/echo`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'x-own': 'yes', authorization: 'Bearer secret' },
    }),
  bytes: (fetch) => fetch(`${server.url}/echo`, { method: 'PUT', body: new TextEncoder().encode('bytes') }),
  'an array buffer': (fetch) =>
    fetch(`${server.url}/echo`, { method: 'PUT', body: new TextEncoder().encode('bytes').buffer }),
  'an empty text': (fetch) => fetch(`${server.url}/echo`, { method: 'POST', body: '' }),
  'a form': (fetch) => fetch(`${server.url}/echo`, { method: 'POST', body: form() }),
  parameters: (fetch) =>
    fetch(`${server.url}/echo`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) }),
  'a blob': (fetch) =>
    fetch(`${server.url}/echo`, { method: 'POST', body: new Blob(['text'], { type: 'text/csv' }) }),
  'a blob without a type': (fetch) =>
    fetch(`${server.url}/echo`, { method: 'POST', body: new Blob(['text']) }),
  'a Request': (fetch) =>
    fetch(new Request(`${server.url}/echo`, { method: 'POST', body: 'text', headers: { 'x-own': 'r' } })),
  'a Request with other options': (fetch) =>
    fetch(new Request(`${server.url}/echo`, { method: 'POST', body: 'text', headers: { 'x-own': 'r' } }), {
      method: 'POST',
      body: 'other',
      headers: { 'x-own': 'o' },
    }),
  'a HEAD': (fetch) => fetch(`${server.url}/echo`, { method: 'HEAD' }),
  'a lower-case method': (fetch) => fetch(`${server.url}/echo`, { method: 'post', body: 'text' }),
  'no content': (fetch) => fetch(`${server.url}/status/204`),
  'not modified': (fetch) => fetch(`${server.url}/status/304`),
  'an error of the server': (fetch) => fetch(`${server.url}/status/500`),
  'too many requests': (fetch) => fetch(`${server.url}/status/429`),
  cookies: (fetch) => fetch(`${server.url}/cookies`),
  gzip: (fetch) => fetch(`${server.url}/gzip`),
  deflate: (fetch) => fetch(`${server.url}/deflate`),
  'deflate without its header': (fetch) => fetch(`${server.url}/deflate-raw`),
  'deflate of nothing': (fetch) => fetch(`${server.url}/empty-deflate`),
  'damaged deflate': (fetch) => fetch(`${server.url}/damaged-deflate`),
  'two codings': (fetch) => fetch(`${server.url}/codings`),
  'a coding that is not known': (fetch) => fetch(`${server.url}/unknown-coding`),
  'another protocol of the server': (fetch) => fetch(`${server.url}/upgrade`),
  brotli: (fetch) => fetch(`${server.url}/br`),
  'damaged gzip': (fetch) => fetch(`${server.url}/damaged`),
  'a body that is cut off': (fetch) => fetch(`${server.url}/cut`),
  'a connection that is closed': (fetch) => fetch(`${server.url}/refuse`),
  'a port without a server': (fetch) => fetch('http://127.0.0.1:9/echo'),
  'an address that is none': (fetch) => fetch('not an address'),
  'another protocol': (fetch) => fetch('ftp://127.0.0.1/file'),
  'a redirect in a circle': (fetch) => fetch(`${server.url}/again`),
  'a redirect that is handed on': (fetch) => fetch(`${server.url}/again`, { redirect: 'manual' }),
  'a redirect that is forbidden': (fetch) => fetch(`${server.url}/again`, { redirect: 'error' }),
  'a redirect to another protocol': (fetch) =>
    fetch(`${server.url}/to/302?location=${encodeURIComponent('ftp://127.0.0.1/file')}`),
  'a redirect without a place': (fetch) => fetch(`${server.url}/status/302`),
  'a signal that is aborted': (fetch) =>
    fetch(`${server.url}/echo`, { signal: AbortSignal.abort(new Error('before')) }),
}

for (const status of [301, 302, 303, 307, 308]) {
  for (const method of ['GET', 'POST', 'DELETE']) {
    for (const place of ['here', 'elsewhere']) {
      calls[`${status} of a ${method}, ${place}`] = (fetch) => {
        const location = place === 'here' ? '/echo?moved' : `${other.url}/echo?moved`
        return fetch(`${server.url}/to/${status}?location=${encodeURIComponent(location)}`, {
          method,
          ...(method === 'POST' ? { body: 'text' } : {}),
          headers: { authorization: 'Bearer secret', cookie: 'a=1', 'x-own': 'yes' },
        })
      }
    }
  }
}

/** Headers that tell of the connection, or of the day. */
const ofTheConnection = ['date', 'connection', 'keep-alive', 'transfer-encoding']

async function seen(call: Call, fetch: typeof globalThis.fetch): Promise<object> {
  try {
    const response = await call(fetch)
    const { status, statusText, ok, url, redirected } = response
    const headers = [...response.headers].filter(([name]) => !ofTheConnection.includes(name))
    const hasBody = response.body !== null
    const text = response.text().then((read) => read.replaceAll(/undici-\d+/g, 'boundary'))
    const body = await text.catch(nameOf)
    return { status, statusText, ok, url, redirected, headers, hasBody, body }
  } catch (error) {
    return nameOf(error)
  }
}

function nameOf(error: unknown): object {
  return error instanceof TypeError ? { name: 'TypeError' } : { error }
}

test.each(Object.keys(calls))('%s', async (name) => {
  const call = calls[name] as Call
  const [platform, own] = [await seen(call, fetch), await seen(call, ours)]
  if ('error' in own) expect(String(own.error)).toBe(String((platform as { error: unknown }).error))
  else expect(own).toEqual(platform)
})

test('a blob has its own type, whatever a server framework has put in the place of Response', async () => {
  class PlainResponse extends Response {
    constructor(body?: BodyInit) {
      super(body, { headers: { 'content-type': 'text/plain' } })
    }
  }
  vi.stubGlobal('Response', PlainResponse)
  try {
    const body = new Blob(['text'], { type: 'text/csv' })
    const response = await ours(`${server.url}/echo`, { method: 'POST', body })
    expect(JSON.parse(await response.text())).toMatchObject({ headers: { type: 'text/csv' } })
  } finally {
    vi.unstubAllGlobals()
  }
})

test('the error of a connection is the cause', async () => {
  await expect(ours('http://127.0.0.1:9/')).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED' },
  })
})

test.each(['/pieces', '/gzip-pieces'])('%s: a piece is read before the next one is sent', async (path) => {
  const response = await ours(`${server.url}${path}`)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect(await reader?.read()).toEqual({ done: false, value: 'one ' })
  server.goOn()
  expect(await reader?.read()).toEqual({ done: false, value: 'two' })
  expect(await reader?.read()).toMatchObject({ done: true })
})

describe('a signal', () => {
  test('ends a call that waits for its response', async () => {
    await using silent = await silentServer()
    const { signal, abort } = abortable()
    const call = ours(silent.url, { signal })
    await silent.asked
    abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await silent.left
  })

  test('ends a body', async () => {
    await using alone = await startServer()
    const { signal, abort } = abortable()
    const response = await ours(`${alone.url}/pieces`, { signal })
    abort(new Error('enough'))
    await expect(response.text()).rejects.toThrow('enough')
    await alone.left
  })

  test.each(['before', 'while'])('ends a body that is sent and has no end: %s it is read', async (time) => {
    const { signal, abort } = abortable()
    const left = Promise.withResolvers<unknown>()
    const body = new ReadableStream({
      pull: (controller) => {
        controller.enqueue(new Uint8Array(1))
        abort(new Error('enough'))
        return new Promise(() => undefined)
      },
      cancel: left.resolve,
    })
    if (time === 'before') abort(new Error('enough'))
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, signal, duplex: 'half' }
    await expect(ours(`${server.url}/echo`, init)).rejects.toThrow('enough')
    await expect(left.promise).resolves.toMatchObject({ message: 'enough' })
  })

  test('has no listeners after the end of a call', async () => {
    const { signal } = abortable()
    let listeners = 0
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++
      add(...given)
    }
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--
      remove(...given)
    }
    for (const path of ['/echo', '/status/204', '/cut', '/refuse']) {
      await ours(server.url + path, { signal }).then(
        (response) => response.text().catch(() => ''),
        () => '',
      )
    }
    await (await ours(`${server.url}/long`, { signal })).body?.cancel()
    expect(listeners).toBe(0)
  })
})

test('a reader that leaves ends the connection', async () => {
  await using alone = await startServer()
  const response = await ours(`${alone.url}/long`)
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await expect(alone.left).resolves.toBeUndefined()
})

test('a long body arrives whole, and waits for its reader', async () => {
  const response = await ours(`${server.url}/long`)
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(bytes).toBe(20_000_000)
})

test('certificates are options of the agent', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  await using secure = await startServer({ key, cert })
  using httpsAgent = disposable(new HttpsAgent({ ca: cert }))
  const trusting = nodeFetch({ httpsAgent })
  expect(await (await trusting(`${secure.url}/echo`)).json()).toMatchObject({ method: 'GET' })
  await expect(ours(`${secure.url}/echo`)).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/SELF_SIGNED/) },
  })
})

test('the proxy of the environment is asked, and not for addresses that are excepted', async () => {
  await using proxy = await startProxy()
  const before = { ...process.env }
  Object.assign(process.env, { HTTP_PROXY: proxy.url, NO_PROXY: 'localhost' })
  try {
    const proxied = nodeFetch()
    expect(await (await proxied(`${server.url}/echo?through`)).json()).toMatchObject({ query: '?through' })
    await proxied(server.url.replace('127.0.0.1', 'localhost')).then((response) => response.text())
    expect(proxy.asked).toEqual([`${server.url}/echo?through`])
  } finally {
    process.env = before
  }
})

test('an unknown option and a wrong agent are refused', () => {
  const options: object = { maxRedirect: 3 }
  expect(() => nodeFetch(options)).toThrow(/maxRedirects/)
  expect(() => nodeFetch({ httpAgent: {} as HttpAgent })).toThrow(/an Agent of node:http/)
})

test('a redirect beyond the most is an error', async () => {
  const few = nodeFetch({ httpAgent, maxRedirects: 0 })
  await expect(few(`${server.url}/again`)).rejects.toThrow('the server redirects too often')
})

function abortable(): { signal: AbortSignal; abort: (reason: Error) => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) }
}

function disposable<Agent extends HttpAgent>(agent: Agent): Agent & Disposable {
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

/** It takes requests, and answers none. */
async function silentServer(): Promise<
  AsyncDisposable & { url: string; asked: Promise<unknown>; left: Promise<unknown> }
> {
  const left = Promise.withResolvers<void>()
  const silent = createServer((request) => request.on('close', () => left.resolve()))
  const asked = once(silent, 'request')
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  return {
    url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
    asked,
    left: left.promise,
    async [Symbol.asyncDispose]() {
      silent.closeAllConnections()
      silent.close()
      await once(silent, 'close')
    },
  }
}

/** A proxy that notes the addresses it is asked for. */
async function startProxy(): Promise<AsyncDisposable & { url: string; asked: string[] }> {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    const target = new URL(request.url ?? '')
    asked.push(target.href)
    const socket = connect(Number(target.port), target.hostname, () => {
      socket.write(
        `GET ${target.pathname}${target.search} HTTP/1.1\r\nhost: ${target.host}\r\nconnection: close\r\n\r\n`,
      )
    })
    socket.pipe(response.socket as NodeJS.WritableStream)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
