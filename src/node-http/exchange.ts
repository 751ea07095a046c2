/** One request over the HTTP of Node, and its response as that of a `fetch`. */
import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { bodyOf, type Body } from './body.ts'
import type { Outgoing } from './outgoing.ts'

/** Rejects with the reason of the signal, and with a `TypeError` for a connection that fails. */
export async function exchange(outgoing: Outgoing, agent: Agent): Promise<Response> {
  const { url, protocol, method, headers, body, signal } = outgoing
  signal?.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const send = protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, { method, headers, agent })

  let incomingBody: Body | undefined
  const onAbort = (): void => {
    reject(signal?.reason)
    incomingBody?.fail(signal?.reason)
    request.destroy()
  }
  const release = (): void => signal?.removeEventListener('abort', onAbort)
  signal?.addEventListener('abort', onAbort, { once: true })
  request.on('error', (cause) => {
    release()
    reject(new TypeError('fetch failed', { cause }))
  })
  request.on('response', (incoming) => {
    incomingBody = bodyOf(incoming, method, release)
    try {
      resolve(responseOf(outgoing, incoming, incomingBody?.stream))
    } catch (error) {
      reject(error)
      request.destroy()
    }
  })
  request.end(body)
  return promise
}

function responseOf(
  { url, isRedirected }: Outgoing,
  incoming: IncomingMessage,
  body: ReadableStream<Uint8Array> | undefined,
): Response {
  const { statusCode: status, statusMessage: statusText, rawHeaders } = incoming
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  const response = new Response(body, { status, statusText, headers })
  // The constructor has no field for these two.
  Object.defineProperty(response, 'url', { value: url.href.replace(/#.*/, '') })
  Object.defineProperty(response, 'redirected', { value: isRedirected })
  return response
}
