/** A local HTTP server that answers exactly as it is told: for the faults that a well-behaved mock does not have. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How to answer one request. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export interface FaultServer {
  /** The base URL to give to a client, `/v1` included. */
  readonly url: string
  readonly requests: ReceivedRequest[]
  /** How every request is answered from now on. */
  answer: Answer
  close(): Promise<void>
}

export async function startFaultServer(): Promise<FaultServer> {
  const requests: ReceivedRequest[] = []
  const faults: FaultServer = {
    url: '',
    requests,
    answer: json(500, { error: { message: 'no answer set' } }),
    close,
  }
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      text += piece
    })
    request.on('end', () => {
      const body: unknown = text === '' ? undefined : JSON.parse(text)
      requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      void faults.answer(response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The fault server has no port')

  async function close(): Promise<void> {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return Object.assign(faults, { url: `http://127.0.0.1:${address.port}/v1` })
}

export function raw(
  status: number,
  contentType: string,
  text: string,
  headers: Record<string, string> = {},
): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': contentType, ...headers }).end(text)
  }
}

export function json(status: number, body: unknown, headers?: Record<string, string>): Answer {
  return raw(status, 'application/json', JSON.stringify(body), headers)
}

/** One server-sent event, `[DONE]` as it is. */
export function event(data: unknown): string {
  return `data: ${data === '[DONE]' ? data : JSON.stringify(data)}\n\n`
}

/** Sends the pieces one after the other, then ends the response, keeps it open, or destroys the socket. */
export function stream(
  pieces: readonly (string | Uint8Array)[],
  then: 'end' | 'hang' | 'destroy' = 'end',
): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const piece of pieces) {
      response.write(piece)
      await nextTurn()
    }
    if (then === 'end') response.end()
    if (then === 'destroy') response.destroy()
  }
}

/** Takes the request and never answers. */
export const hang: Answer = () => undefined

/** Takes the request and destroys the socket. */
export const hangUp: Answer = (response) => {
  response.destroy()
}
