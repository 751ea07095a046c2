/** Receivers of an inspector's messages: the real relay of `@statelyai/inspect`, and servers with faults. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { StatelyActorEvent, StatelyInspectionEvent } from '@statelyai/inspect'
import { createInspectorServer } from '@statelyai/inspect/server'

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly messages: readonly StatelyInspectionEvent[]
  /** Settles when a message fits. */
  until(fits: (message: StatelyInspectionEvent) => boolean): Promise<StatelyInspectionEvent>
}

/** A client of the relay of `@statelyai/inspect`: what the page in the browser is. */
export async function relayedReceiver(port?: number): Promise<Receiver> {
  const at = port ?? (await freePort())
  const relay = createInspectorServer({ port: at, autoOpen: false })
  const url = `ws://localhost:${at}`
  const client = new WebSocket(url)
  const messages: StatelyInspectionEvent[] = []
  const waiting = new Set<() => void>()
  client.addEventListener('message', ({ data }: MessageEvent<string>) => {
    messages.push(JSON.parse(data) as StatelyInspectionEvent)
    for (const look of waiting) look()
  })
  await new Promise((resolve, reject) => {
    client.addEventListener('open', resolve)
    client.addEventListener('error', () => reject(new Error(`No relay at ${url}`)))
  })
  return {
    url,
    messages,
    until: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = messages.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => client.addEventListener('close', resolve))
      client.close()
      await closed
      relay.stop()
    },
  }
}

/** The last message of a run: its root is done. */
export function isRunEnd(message: StatelyInspectionEvent): boolean {
  if (message.type !== '@xstate.snapshot' || message.sessionId !== message.rootId) return false
  return message.snapshot.status === 'done'
}

export function actorsIn(messages: readonly StatelyInspectionEvent[]): StatelyActorEvent[] {
  return messages.filter((message) => message.type === '@xstate.actor')
}

export function namesIn(messages: readonly StatelyInspectionEvent[]): string[] {
  return actorsIn(messages).map(({ name }) => name)
}

export interface FaultyServer extends AsyncDisposable {
  readonly url: string
}

/** What a server does with those who knock. */
export const faults = {
  'never answers': () => undefined,
  'hangs up': (socket) => socket.destroy(),
  'answers with a page': (socket) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'),
  'answers nonsense': (socket) => socket.end('hello\r\n'),
  'shakes hands wrongly': (socket) => socket.write(handshake('wrong')),
  'shakes hands and hangs up': (socket, key) => socket.end(handshake(acceptOf(key))),
  'shakes hands and hangs': (socket, key) => {
    socket.write(handshake(acceptOf(key)))
    socket.pause()
  },
  'shakes hands and only says goodbye': (socket, key) => {
    socket.write(handshake(acceptOf(key)))
    socket.write(Buffer.from([0x88, 0])) // a frame that closes, and no end of the stream
  },
} satisfies Record<string, (socket: Socket, key: string) => unknown>

export async function faultyServer(fault: keyof typeof faults): Promise<FaultyServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => sockets.delete(socket))
    socket.once('data', (request: Buffer) => {
      const key = /^sec-websocket-key: (.*)\r$/im.exec(request.toString())?.[1] ?? ''
      faults[fault](socket, key)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${portOf(server)}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}

function handshake(accept: string): string {
  return (
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n' +
    `sec-websocket-accept: ${accept}\r\n\r\n`
  )
}
