/** A worker whose executions of workflows can be held up, while it answers all other requests. */
import { createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import type { AgentDefinition } from 'troupe'
import { restateEndpoint, type RestateEndpointConfig, type RestateTroupe } from 'troupe/restate'
import { onTestFinished } from 'vitest'
import type { Desk } from './desk.ts'

/** Returns a client of an agent. `until`: when a run of one of its agents may be executed. */
export async function gatedTroupe(
  desk: Desk,
  agent: AgentDefinition,
  until: (agentId: string) => Promise<void> | undefined,
  settings: Partial<RestateEndpointConfig> = {},
): Promise<RestateTroupe> {
  const namespace = agent.id
  const logger = () => undefined
  const { services } = restateEndpoint({ agents: [agent], namespace, logger, ...settings })
  const handler = createEndpointHandler({ services, logger })
  const server: Http2Server = createServer((request, response) => {
    const [service = '', method] = request.url.split('/').slice(-2)
    const gate = method === 'run' ? until(service.slice(namespace.length + 1)) : undefined
    void (gate ?? Promise.resolve()).then(() => handler(request, response))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await desk.server.register((server.address() as AddressInfo).port)
  return desk.client(agent, namespace)
}
