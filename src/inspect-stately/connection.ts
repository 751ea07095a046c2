/**
 * A WebSocket connection that only sends. It is our own, because a process must end although a receiver hangs: Node's
 * own WebSocket keeps its process alive for as long as the other side does not answer.
 */
import { createHash, randomBytes } from 'node:crypto'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { Duplex } from 'node:stream'
import { frame, FrameReader, opcodes } from './frames.ts'

export interface Connection {
  /** Whether more can be sent now; `drained` is called when it can again. */
  readonly hasRoom: boolean
  send(text: string): void
  /** Ends the connection when all sent messages are through; `closed` is called then. */
  end(): void
  /** Ends the connection at once. */
  destroy(): void
}

interface Listener {
  opened(connection: Connection): void
  drained(): void
  /** Called once; with the error, if there was one. */
  closed(error?: Error): void
}

/** Milliseconds until a server must have answered. */
const patience = 10_000

/** Connects, and returns a function that calls it off. The connection does not keep the process alive. */
export function connect(url: string, listener: Listener): () => void {
  const key = randomBytes(16).toString('base64')
  const request = (url.startsWith('wss:') ? requestSecure : requestPlain)(url.replace(/^ws/, 'http'), {
    agent: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
    },
  })
  request.setTimeout(patience, () => request.destroy(new Error(`no answer within ${patience} ms`)))
  request.on('socket', (socket) => socket.unref())
  request.on('error', (error) => listener.closed(error))
  request.on('response', (response) => {
    request.destroy(new Error(`the answer is HTTP ${response.statusCode}, not a WebSocket`))
  })
  request.on('upgrade', (response, socket, head) => {
    socket.setTimeout(0)
    if (response.headers['sec-websocket-accept'] === acceptOf(key)) talk(socket, head, listener)
    else {
      socket.destroy()
      listener.closed(new Error('the answer is not that of a WebSocket server'))
    }
  })
  request.end()
  return () => request.destroy()
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}

function talk(socket: Duplex, head: Buffer, listener: Listener): void {
  const reader = new FrameReader()
  let failure: Error | undefined
  const end = (): void => {
    if (socket.writable) socket.end(frame(opcodes.close, Buffer.from([0x03, 0xe8]))) // 1000: normal closure
  }
  const read = (chunk: Buffer): void => {
    for (const { opcode, payload } of reader.read(chunk)) {
      if (opcode === opcodes.ping && socket.writable) socket.write(frame(opcodes.pong, payload))
      else if (opcode === opcodes.close) end()
    }
  }
  socket.on('data', read)
  socket.on('drain', () => listener.drained())
  socket.on('error', (error) => (failure = error))
  socket.on('close', () => listener.closed(failure))
  read(head)
  listener.opened({
    get hasRoom() {
      return socket.writable && !socket.writableNeedDrain
    },
    send: (text) => void socket.write(frame(opcodes.text, Buffer.from(text))),
    end,
    destroy: () => socket.destroy(),
  })
}
