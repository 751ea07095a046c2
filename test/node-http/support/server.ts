/** A server for both kinds of `fetch`: the path of a request tells how it is answered. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, createGzip, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

export interface LocalServer extends AsyncDisposable {
  readonly url: string
  /** Requests whose connection was ended by the client before the answer was whole. */
  readonly left: Promise<void>
  /** Lets the rest of `/pieces` and `/gzip-pieces` follow. */
  goOn(): void
}

/** `pem`: key and certificate of an `https:` server. */
export async function startServer(pem?: {
  readonly key: string
  readonly cert: string
}): Promise<LocalServer> {
  const left = Promise.withResolvers<void>()
  let rest = Promise.withResolvers<void>()
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('close', () => {
      if (!response.writableFinished) left.resolve()
    })
    void reply(request, response, () => rest.promise)
  }
  const server = pem === undefined ? createServer(answer) : createSecureServer(pem, answer)
  server.keepAliveTimeout = 600_000 // also for a loaded machine
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${pem === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    left: left.promise,
    goOn() {
      rest.resolve()
      rest = Promise.withResolvers()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const text = 'Grüße, 世界. '.repeat(2_000)

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  rest: () => Promise<void>,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://server')
  const [, first = '', second = ''] = url.pathname.split('/')
  switch (first) {
    case 'echo':
      return json(response, {
        method: request.method,
        body: await bodyOf(request),
        headers: ownHeaders(request),
        query: url.search,
      })
    case 'status':
      response
        .writeHead(Number(second), { 'x-kind': 'status' })
        .end(Number(second) === 204 ? undefined : 'text')
      return
    case 'to': {
      await bodyOf(request)
      response.writeHead(Number(second), { location: url.searchParams.get('location') ?? '' }).end('moved')
      return
    }
    case 'again':
      response.writeHead(302, { location: '/again' }).end()
      return
    case 'cookies':
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      return json(response, {})
    case 'form':
      response.setHeader('content-type', 'application/x-www-form-urlencoded').end('a=1&b=2')
      return
    case 'mark':
      response.end('\uFEFFtext after a byte order mark')
      return
    case 'port':
      response.setHeader('x-port', String(request.socket.remotePort)).end('a short body')
      return
    case 'gzip':
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
      return
    case 'deflate':
      response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateSync(text))
      return
    case 'deflate-raw':
      response.writeHead(200, { 'content-encoding': 'deflate' }).end(deflateRawSync(text))
      return
    case 'codings': {
      const coded = brotliCompressSync(gzipSync(text))
      response.writeHead(200, { 'content-encoding': 'gzip, br' }).end(coded)
      return
    }
    case 'unknown-coding':
      response.writeHead(200, { 'content-encoding': 'gzip, own' }).end('as it came')
      return
    case 'empty-deflate':
      response.writeHead(200, { 'content-encoding': 'deflate' }).end()
      return
    case 'damaged-deflate':
      response.writeHead(200, { 'content-encoding': 'deflate' }).end('this is not deflate')
      return
    case 'upgrade':
      request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: own\r\n\r\n')
      return
    case 'br':
      response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(text))
      return
    case 'damaged':
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is not gzip')
      return
    case 'cut':
      response.writeHead(200, { 'content-length': '100' })
      response.write('short', () => response.destroy())
      return
    case 'refuse':
      request.socket.destroy()
      return
    case 'pieces':
      response.write('one ')
      await rest()
      response.end('two')
      return
    case 'gzip-pieces': {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
      gzip.pipe(response)
      gzip.write('one ')
      await rest()
      gzip.end('two')
      return
    }
    case 'long':
      for (let piece = 0; piece < 2_000; piece++) {
        if (!response.write('x'.repeat(10_000))) await once(response, 'drain').catch(() => undefined)
        if (response.destroyed) return
      }
      response.end()
      return
    default:
      response.writeHead(404).end()
  }
}

function json(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

/** Those that a caller sets: each `fetch` adds others of its own. */
function ownHeaders({ headers }: IncomingMessage): object {
  const {
    authorization,
    cookie,
    accept,
    'content-type': type,
    'content-length': length,
    'x-own': own,
  } = headers
  return { authorization, cookie, accept, length, own, type: type?.replace(/boundary=.*/, 'boundary') }
}
