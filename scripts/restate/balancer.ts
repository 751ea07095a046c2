/**
 * Spreads what the Restate server asks for over workers, one request after the other, as a load balancer or the
 * service of a cluster does. One that does not answer is left out until it does again.
 */
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'

export interface Balancer extends AsyncDisposable {
  readonly port: number
}

export async function balance(ports: readonly number[]): Promise<Balancer> {
  const sessions = new Map<number, ClientHttp2Session>()
  const incoming = new Set<{ destroy(): void }>()
  let turn = 0

  const sessionTo = (port: number): ClientHttp2Session => {
    const known = sessions.get(port)
    if (known !== undefined && !known.closed && !known.destroyed) return known
    const session = connect(`http://127.0.0.1:${port}`)
    session.setMaxListeners(0) // each request that waits for the connection is one
    const forget = (): void => {
      if (sessions.get(port) === session) sessions.delete(port)
    }
    session.once('close', forget)
    session.on('error', forget)
    sessions.set(port, session)
    return session
  }

  const pass = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, left: number): void => {
    const port = ports[turn++ % ports.length] as number
    const session = sessionTo(port)
    const onward = session.request(headers)
    let hasAnswered = false
    let isConnected = !session.connecting
    session.once('connect', () => {
      isConnected = true
    })
    stream.once('close', () => onward.close(constants.NGHTTP2_CANCEL))
    onward.once('response', (answer) => {
      hasAnswered = true
      if (stream.destroyed) return
      stream.respond(answer)
      onward.pipe(stream)
    })
    onward.on('error', () => undefined) // it closes
    onward.once('close', () => {
      stream.unpipe(onward)
      if (stream.destroyed || stream.writableEnded) return
      // Nobody was there: it is the turn of another. What was under way is the server's to begin again.
      if (!hasAnswered && !isConnected && left > 1) pass(stream, headers, left - 1)
      else stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    })
    stream.pipe(onward)
  }

  const server = createServer()
  server.on('session', (session) => {
    incoming.add(session)
    session.once('close', () => incoming.delete(session))
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined) // the server has left
    pass(stream, headers, ports.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const session of [...sessions.values(), ...incoming]) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
