/** One of the workers. Its argument is JSON. */
import { createServer } from 'node:http2'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateEndpoint } from 'troupe/restate'
import { agents, byHand } from './work.ts'

const { port } = JSON.parse(process.argv[2] ?? '') as { readonly port: number }

const { services } = restateEndpoint({ agents: [agents()] })
const handler = createEndpointHandler({ services: [...services, ...byHand], logger: () => undefined })
createServer(handler).listen(port, '127.0.0.1', () => process.send?.('listening'))
