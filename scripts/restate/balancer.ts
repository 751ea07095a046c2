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
  const sessions = new Map<number, Promise<ClientHttp2Session>>()
  const incoming = new Set<{ destroy(): void }>()
  let turn = 0

  const sessionTo = (port: number): Promise<ClientHttp2Session> => {
    const known = sessions.get(port)
    if (known !== undefined) return known
    const made = new Promise<ClientHttp2Session>((resolve, reject) => {
      const session = connect(`http://127.0.0.1:${port}`)
      session.once('connect', () => resolve(session))
      session.on('error', reject)
      session.once('close', () => {
        if (sessions.get(port) === made) sessions.delete(port)
        reject(new Error(`The worker at ${port} has left.`))
      })
    })
    sessions.set(port, made)
    return made
  }

  /** The next worker that is there. Nothing of a request is read before. */
  const next = async (): Promise<ClientHttp2Session | undefined> => {
    for (let tried = 0; tried < ports.length; tried++) {
      try {
        return await sessionTo(ports[turn++ % ports.length] as number)
      } catch {
        // It is the turn of another.
      }
    }
    return undefined
  }

  const pass = async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> => {
    const session = await next()
    if (session === undefined || session.destroyed || stream.destroyed) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM)
      return
    }
    const onward = session.request(headers)
    stream.once('close', () => onward.close(constants.NGHTTP2_CANCEL))
    onward.once('response', (answer) => {
      if (stream.destroyed) return
      stream.respond(answer)
      onward.pipe(stream)
    })
    onward.on('error', () => undefined) // it closes
    onward.once('close', () => {
      // What was under way is the server's to begin again.
      if (!stream.destroyed && !stream.writableEnded) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
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
    void pass(stream, headers)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const outgoing = await Promise.allSettled(sessions.values())
      for (const one of outgoing) if (one.status === 'fulfilled') one.value.destroy()
      for (const session of incoming) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
