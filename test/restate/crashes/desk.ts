/** A server and workers in this process, for tests that look at what happens on Restate and not at crashes. */
import type { AnyAgent } from 'troupe'
import {
  restateEndpoint,
  restateTroupe,
  type RestateEndpointConfig,
  type RestateListener,
  type RestateTroupe,
  type RestateTroupeConfig,
} from 'troupe/restate'
import { RestateServer } from '../../../scripts/restate/server.ts'

export class Desk implements AsyncDisposable {
  readonly server: RestateServer
  readonly #listeners: RestateListener[] = []
  #namespaces = 0

  private constructor(server: RestateServer) {
    this.server = server
  }

  static async open(): Promise<Desk> {
    return new Desk(await RestateServer.start())
  }

  /** A client of agents that nobody else has. */
  async troupe(agent: AnyAgent, config: Partial<RestateEndpointConfig> = {}): Promise<RestateTroupe> {
    const namespace = `desk-${this.#namespaces++}`
    await this.serve({ agents: [agent], namespace, ...config })
    return this.client(agent, namespace)
  }

  client(agent: AnyAgent, namespace: string, config: Partial<RestateTroupeConfig> = {}): RestateTroupe {
    const { ingress, admin } = this.server
    return restateTroupe({ ingress, admin, agents: [agent], namespace, pollInterval: 10, ...config })
  }

  /** Asks Restate's own index, in SQL. */
  async rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const response = await fetch(`${this.server.admin}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    })
    return ((await response.json()) as { readonly rows: readonly Readonly<Record<string, unknown>>[] }).rows
  }

  async serve(config: RestateEndpointConfig): Promise<RestateListener> {
    const listener = await restateEndpoint({ logger: () => undefined, ...config }).listen({ port: 0 })
    this.#listeners.push(listener)
    await this.server.register(listener.port)
    return listener
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener.close()))
    await this.server.stop()
  }
}
