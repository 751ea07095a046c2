/** A WebSocket connection that only sends, by the package `ws`. Its socket does not keep the process alive. */
import type { ClientRequest } from 'node:http'
import { WebSocket } from 'ws'

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

const options = {
  /** Milliseconds until a server must have answered. */
  handshakeTimeout: 10_000,
  /** Milliseconds that a server has to end a connection that is being closed. The package waits with a timer. */
  closeTimeout: 1_000,
  perMessageDeflate: false,
  finishRequest(request: ClientRequest): void {
    request.on('socket', (socket) => socket.unref())
    request.end()
  },
}

/** Bytes that may wait to be sent. */
const mostBuffered = 64 * 1024

/** Connects, and returns a function that calls it off. The connection does not keep the process alive. */
export function connect(url: string, listener: Listener): () => void {
  const address = new URL(url)
  address.hash = '' // the package refuses it
  const socket = new WebSocket(address, options)
  let failure: Error | undefined
  let isCalledOff = false
  socket.on('error', (error) => (failure = error))
  socket.on('close', () => listener.closed(isCalledOff ? undefined : failure))
  socket.on('open', () => {
    listener.opened({
      get hasRoom() {
        return socket.readyState === WebSocket.OPEN && socket.bufferedAmount < mostBuffered
      },
      send: (text) => socket.send(text, () => listener.drained()),
      end: () => socket.close(1000),
      destroy: () => socket.terminate(),
    })
  })
  return () => {
    isCalledOff = true
    socket.terminate()
  }
}
