/** Serves deltas as server-sent events from the worker that has them: no other server is needed. */
import { repeatTimer } from '../../actors/values/timer.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { aName, aPort, listOf } from '../../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { isOwnHost, isToken } from '../../runtime/server-guard.ts'
import { aToken, memoryDeltas, type DeltaSink } from './deltas.ts'

/** A server that passes the deltas of workers on to their readers. */
export interface DeltaServer extends DeltaSink {
  readonly port: number
  /** Ends all streams. */
  close(): Promise<void>
}

/** Bytes that a reader may lag before it is disconnected: it can reconnect, and has missed nothing durable. */
const longestBacklog = 1_000_000

/** Milliseconds between two heartbeats, which keep proxies from closing a stream. */
const heartbeat = 15_000

/** The options of `serveDeltas`. */
export interface DeltaServerOptions {
  /** Default: 0, a free port. */
  readonly port?: number
  /** The address to listen on. Default: `127.0.0.1`. */
  readonly host?: string
  /**
   * Names by which readers reach this server, besides `host`, `localhost` and, unless it listens on this machine alone,
   * any IP address. A request by another name is refused with 403. Default: none.
   */
  readonly hostnames?: readonly string[]
  /**
   * The token that readers must send: `readDeltas({ workers, token })`. Others get a 401. Default: none is required.
   */
  readonly token?: string
}

const fields = {
  port: withDefault(aPort, 0),
  host: withDefault(aName, '127.0.0.1'),
  hostnames: optional(listOf(aName)),
  token: optional(aToken),
} satisfies Fields<DeltaServerOptions>

/** Serves `GET /<run id>` as server-sent events. Rejects with a `ConfigurationError` for a wrong option. */
export async function serveDeltas(options: DeltaServerOptions = {}): Promise<DeltaServer> {
  const read = readOptions<DeltaServerOptions>(options, 'serveDeltas', fields)
  const { port, host, hostnames, token } = { ...defaultsOf(fields), ...read }
  const deltas = memoryDeltas()
  const server = createServer((request, response) => {
    const refusal = !isOwnHost(request.headers.host, host, hostnames)
      ? 403
      : isLetIn(request, token)
        ? 0
        : 401
    if (refusal !== 0) {
      response.writeHead(refusal).end()
      return
    }
    const runId = runIdOf(request.url ?? '/')
    if (request.method !== 'GET' || runId === '') {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': deltas\n\n')
    const leave = deltas.subscribe(runId, (delta) => write(response, `data: ${JSON.stringify(delta)}\n\n`))
    const stopBeat = repeatTimer(heartbeat, () => write(response, ':\n\n'))
    response.once('close', () => {
      stopBeat()
      leave()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    publish: (delta) => deltas.publish(delta),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isLetIn({ headers }: IncomingMessage, token: string | undefined): boolean {
  return token === undefined || isToken(headers.authorization ?? '', `Bearer ${token}`)
}

/** Returns an empty id for a path that is malformed: a client may request any path. */
function runIdOf(url: string): string {
  try {
    return decodeURIComponent(url.slice(1))
  } catch {
    return ''
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > longestBacklog) response.destroy()
  else response.write(text)
}
