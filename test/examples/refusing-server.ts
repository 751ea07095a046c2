/** A model server that accepts no key. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface RefusingServer extends AsyncDisposable {
  readonly url: string
  readonly requests: { readonly model: string; readonly authorization: string | undefined }[]
}

export async function refusingServer(): Promise<RefusingServer> {
  const requests: RefusingServer['requests'] = []
  const server = createServer(async (request, response) => {
    const { model } = (await json(request)) as { model: string }
    requests.push({ model, authorization: request.headers.authorization })
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'Incorrect API key', code: 'invalid_api_key' } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
