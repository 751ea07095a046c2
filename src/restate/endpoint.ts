/** Agents as services of Restate: what a worker serves. */
import { createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler, type LoggerTransport } from '@restatedev/restate-sdk'
import { assertKnown } from '../actors/tool.ts'
import type { AgentDefinition } from '../runtime/definition.ts'
import { memoryStore } from '../runtime/memory-store.ts'
import { assertOnError, reporterOf, type OnError } from '../runtime/report.ts'
import type { Store } from '../runtime/store.ts'
import { DeltaLog } from './delta-log.ts'
import type { DeltaSink } from './deltas.ts'
import type { RunHome } from './durable-run.ts'
import { assertNamespace, defaultNamespace } from './names.ts'
import { assertMemory, registryOfAgents } from './validate-agents.ts'
import { workflowOf, type AgentWorkflow } from './workflow.ts'
import { defaultRetryPolicy, defaultTimeouts, type WorkflowSettings } from './workflow-settings.ts'

export interface RestateEndpointConfig extends WorkflowSettings {
  /** Those that runs start with, and with them those below. */
  readonly agents: readonly AgentDefinition[]
  /** Precedes the names of services: `<namespace>.<agent id>`. Default: `troupe`. */
  readonly namespace?: string
  /** Threads, working memory and configuration, in one place for all workers. Agents with memory need it. */
  readonly store?: Pick<Store, 'memory' | 'config'>
  /** Takes what models stream, for those who read along. Default: it goes nowhere, and messages come whole. */
  readonly deltas?: DeltaSink
  /** Takes what the SDK has to say. Default: its own, which writes to the console. */
  readonly logger?: LoggerTransport
  /** Receives each exception of a function of yours, once for each attempt that throws. Default: one `console.warn` each. */
  readonly onError?: OnError
}

export interface RestateEndpoint {
  /** One for each agent: for `createEndpointHandler` of `@restatedev/restate-sdk`, its `/fetch` or its `/lambda`. */
  readonly services: AgentWorkflow[]
  /** Serves them on HTTP/2. `host`: default `127.0.0.1`; `port`: default 9080, 0 for a free one. */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<RestateListener>
}

export interface RestateListener {
  readonly port: number
  /** Takes nothing more, and resolves when every connection is closed. */
  close(): Promise<void>
}

const configNames = [
  'agents',
  'namespace',
  'store',
  'deltas',
  'logger',
  'onError',
  'retryPolicy',
  'inactivityTimeout',
  'abortTimeout',
  'journalRetention',
  'workflowRetention',
] as const satisfies readonly (keyof RestateEndpointConfig)[]

/**
 * Makes agents into services that a Restate server runs. Throws a `ConfigurationError` for what cannot be made durable,
 * with the reason.
 */
export function restateEndpoint(config: RestateEndpointConfig): RestateEndpoint {
  const where = 'restateEndpoint'
  const { agents, namespace = defaultNamespace, store, deltas, logger, onError, ...given } = config
  const registry = registryOfAgents(agents, where)
  assertKnown(config, where, configNames)
  assertOnError(onError, where)
  assertNamespace(namespace, where)
  assertMemory(registry, store !== undefined, where)
  const settings: WorkflowSettings = {
    ...defaultTimeouts,
    ...given,
    retryPolicy: { ...defaultRetryPolicy, ...given.retryPolicy },
  }
  const home: RunHome = {
    registry,
    namespace,
    store: store ?? memoryStore(),
    openLog: () => new DeltaLog(deltas),
    report: reporterOf(onError),
  }
  const services = [...registry.keys()].map((id) => workflowOf(id, home, settings))
  return {
    services,
    listen({ port = 9080, host = '127.0.0.1' } = {}) {
      const handler = createEndpointHandler({ services, ...(logger === undefined ? {} : { logger }) })
      return listen(createServer(handler), port, host)
    },
  }
}

async function listen(server: Http2Server, port: number, host: string): Promise<RestateListener> {
  const sessions = new Set<{ close(): void; destroy(): void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const session of sessions) session.destroy()
      }),
  }
}
