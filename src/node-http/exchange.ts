/** One request over the HTTP of Node, and its response as that of a `fetch`. */
import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { IncomingBody } from './incoming-body.ts'
import { IncomingResponse } from './incoming-response.ts'
import type { Outgoing } from './outgoing.ts'

/** Rejects with the reason of the signal, and with a `TypeError` for a connection that fails. */
export async function exchange(outgoing: Outgoing, agent: Agent): Promise<Response> {
  const { url, protocol, method, headers, body, signal } = outgoing
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const send = protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, { method, headers, agent })

  let incomingBody: IncomingBody | undefined
  const onAbort = (): void => {
    reject(signal?.reason)
    incomingBody?.fail(signal?.reason)
    request.destroy()
  }
  const release = (): void => signal?.removeEventListener('abort', onAbort)
  signal?.addEventListener('abort', onAbort, { once: true })
  const onError = (cause: Error): void => {
    release()
    reject(new TypeError('fetch failed', { cause }))
  }
  request.on('error', onError)
  request.on('upgrade', (_incoming, socket) => {
    socket.destroy()
    onError(new Error('The server switches to another protocol.'))
  })
  request.on('response', (incoming) => {
    incomingBody = bodyOf(incoming, method, release)
    try {
      resolve(responseOf(outgoing, incoming, incomingBody))
    } catch (error) {
      reject(error)
      request.destroy()
    }
  })
  request.end(body)
  return promise
}

const withoutBody: readonly (number | undefined)[] = [101, 204, 205, 304]

/** `undefined` where there is none. */
function bodyOf(incoming: IncomingMessage, method: string, release: () => void): IncomingBody | undefined {
  if (method !== 'HEAD' && !withoutBody.includes(incoming.statusCode)) {
    return new IncomingBody(incoming, release)
  }
  incoming.resume()
  release()
  return undefined
}

function responseOf(
  { url, isRedirected }: Outgoing,
  { statusCode: status, statusMessage: statusText, rawHeaders }: IncomingMessage,
  body: IncomingBody | undefined,
): Response {
  const facts = { url: url.href.replace(/#.*/, ''), isRedirected, status, statusText, rawHeaders }
  return new IncomingResponse(facts, body)
}
