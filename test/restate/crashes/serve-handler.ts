/** Serves a worker through a handler of the test's own, so that a test decides when a request is handled, and how. */
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateEndpoint, type RestateEndpointConfig } from 'troupe/restate'
import { onTestFinished } from 'vitest'
import type { RestateServer } from '../../../scripts/restate/server.ts'

export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void

export function handlerOf(config: RestateEndpointConfig): Handler {
  const logger = () => undefined
  return createEndpointHandler({ services: restateEndpoint({ logger, ...config }).services, logger })
}

/** Listens at a free port until the test ends, and registers the worker there. */
export async function serveHandler(restate: RestateServer, handler: Handler): Promise<void> {
  const server = createServer(handler)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await restate.register((server.address() as AddressInfo).port)
}
