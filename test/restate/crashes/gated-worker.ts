/** A worker whose executions of workflows can be held up, while it answers all other requests. */
import type { AgentDefinition } from 'troupe'
import type { RestateEndpointConfig, RestateTroupe } from 'troupe/restate'
import type { Desk } from './desk.ts'
import { handlerOf, serveHandler } from './serve-handler.ts'

/** Returns a client of an agent. `until`: when a run of one of its agents may be executed. */
export async function gatedTroupe(
  desk: Desk,
  agent: AgentDefinition,
  until: (agentId: string) => Promise<void> | undefined,
  settings: Partial<RestateEndpointConfig> = {},
): Promise<RestateTroupe> {
  const namespace = agent.id
  const handler = handlerOf({ agents: [agent], namespace, ...settings })
  await serveHandler(desk.server, (request, response) => {
    const [service = '', method] = request.url.split('/').slice(-2)
    const gate = method === 'run' ? until(service.slice(namespace.length + 1)) : undefined
    void (gate ?? Promise.resolve()).then(() => handler(request, response))
  })
  return desk.client(agent, namespace)
}
