/** Serves agents as Restate services: the endpoint of a worker. */
import { createServer, type Http2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler, type JournalValueCodec, type LoggerTransport } from '@restatedev/restate-sdk'
import {
  aFunction,
  aName,
  anything,
  aPort,
  having,
  is,
  oneOf,
  positive,
  positiveInteger,
} from '../../actors/strict/checks.ts'
import {
  anObject,
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import type { InterpreterName } from '../../runtime/interpreter/interpreter.ts'
import { observersOf, type AroundOption } from '../../runtime/engine/around/observer.ts'
import { someWrappers } from '../../runtime/troupe/troupe-options.ts'
import { someAgents, type GivenAgents } from '../../runtime/definition/agents-given.ts'
import { memoryStore } from '../../runtime/journal/memory/memory-store.ts'
import { reporterOf, type OnError } from '../../runtime/report.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { DeltaLog } from '../deltas/delta-log.ts'
import type { DeltaSink } from '../deltas/deltas.ts'
import type { RunHome } from './durable-run.ts'
import { aNamespace, defaultNamespace } from '../wire/addresses.ts'
import { assertMemory, registryOfAgents, sharedStore } from '../wire/validate-agents.ts'
import { codecOf, type RestateSealing } from '../wire/sealing.ts'
import { accountService } from '../account/account-service.ts'
import {
  workflowOf,
  defaultRetryPolicy,
  defaultTimeouts,
  type AgentWorkflow,
  type WorkflowSettings,
} from './workflow.ts'

/** The configuration of `restateEndpoint`. */
export interface RestateEndpointConfig extends WorkflowSettings {
  /** The agents that runs start with; their subagents come along. */
  readonly agents: GivenAgents
  /** Precedes the names of services: `<namespace>.<agent id>`. Default: `troupe`. */
  readonly namespace?: string
  /** Threads, working memory and configuration, in one place for all workers. Agents with memory need it. */
  readonly store?: Pick<Store, 'memory' | 'config' | 'blobs'>
  /** Seals payloads before Restate has them: `restateSealing` of `troupe/sealed`. Clients have the same. Default: they are clear. */
  readonly sealing?: RestateSealing
  /** Takes the deltas that models stream, for readers. Default: deltas are dropped, and messages arrive complete. */
  readonly deltas?: DeltaSink
  /**
   * Public keys (`publickeyv1_…`) of the Restate servers that may call this worker: requests that none of them has
   * signed are refused. For `listen`; an application that serves `services` passes them to the SDK. Default: none, and
   * any request is accepted.
   */
  readonly identityKeys?: readonly string[]
  /** Takes the log messages of the SDK. Default: the SDK's own logger, which writes to the console. */
  readonly logger?: LoggerTransport
  /**
   * As `around` of `createTroupe`, for the effects that this worker performs; a subagent, which runs in a workflow of its
   * own, is one of its supervisor. A wrapper calls `perform` for a subagent at once, or is passed over.
   */
  readonly around?: AroundOption
  /** As `interpreter` of `createTroupe`, for the runs of this worker. Default: `'tables'`. */
  readonly interpreter?: InterpreterName
  /** Receives each exception of a function of yours, once per attempt that throws. Default: one `console.warn` each. */
  readonly onError?: OnError
}

/** The options of `listen`. */
export interface ListenOptions {
  /** 0: a free port. Default: 9080. */
  readonly port?: number
  /** Default: `127.0.0.1`. */
  readonly host?: string
}

/** The agents of a worker, as Restate services. */
export interface RestateEndpoint {
  /** One for each agent: for `createEndpointHandler` of `@restatedev/restate-sdk`, its `/fetch` or its `/lambda`. */
  readonly services: AgentWorkflow[]
  /** Set with `sealing`: to pass to the SDK beside `services`. */
  readonly journalValueCodecProvider?: () => Promise<JournalValueCodec>
  /** Serves them on HTTP/2. */
  listen(options?: ListenOptions): Promise<RestateListener>
}

/** A server that Restate reaches the agents at. */
export interface RestateListener {
  readonly port: number
  /** Stops the server, and resolves when every connection is closed. */
  close(): Promise<void>
}

/** An empty list would accept any request, so it is refused as a mistake. */
const someKeys = is(
  'a list of keys that begin with "publickeyv1_"',
  (given) =>
    Array.isArray(given) && given.length > 0 && given.every((key) => /^publickeyv1_\w+$/.test(String(key))),
)

/** Restate itself checks durations, which have several forms. */
const retryFields: Fields<NonNullable<WorkflowSettings['retryPolicy']>> = {
  initialInterval: optional(anything),
  exponentiationFactor: optional(positive),
  maxInterval: optional(anything),
  maxAttempts: optional(positiveInteger),
  onMaxAttempts: optional(oneOf('pause', 'kill')),
}

const fields = {
  agents: required(someAgents),
  namespace: withDefault(aNamespace, defaultNamespace),
  store: optional(sharedStore),
  sealing: optional(having('what restateSealing() makes', 'seal', 'open', 'nameOf', 'idOf')),
  deltas: optional(having('a sink of deltas', 'publish')),
  identityKeys: optional(someKeys),
  logger: optional(aFunction),
  around: optional(someWrappers),
  interpreter: optional(oneOf('tables', 'xstate')),
  onError: optional(aFunction),
  retryPolicy: optional(anObject(retryFields)),
  inactivityTimeout: optional(anything),
  abortTimeout: optional(anything),
  journalRetention: optional(anything),
  workflowRetention: optional(anything),
} satisfies Fields<RestateEndpointConfig>

const listenFields = {
  port: withDefault(aPort, 9080),
  host: withDefault(aName, '127.0.0.1'),
} satisfies Fields<ListenOptions>

/**
 * Makes agents into services that a Restate server runs. Throws a `ConfigurationError` for agents and options that
 * cannot be made durable, with the reason.
 */
export function restateEndpoint(config: RestateEndpointConfig): RestateEndpoint {
  const where = 'restateEndpoint'
  const {
    agents,
    namespace,
    store,
    sealing,
    deltas,
    identityKeys,
    logger,
    around,
    interpreter,
    onError,
    ...given
  } = {
    ...defaultsOf(fields),
    ...readOptions<RestateEndpointConfig>(config, where, fields),
  }
  const registry = registryOfAgents(agents, where)
  assertMemory(registry, store !== undefined, where)
  const settings: WorkflowSettings = {
    ...defaultTimeouts,
    ...given,
    retryPolicy: { ...defaultRetryPolicy, ...given.retryPolicy },
  }
  const report = reporterOf(onError)
  const home: RunHome = {
    registry,
    namespace,
    store: store ?? withoutBlobs(memoryStore()),
    observers: observersOf(around),
    sealing,
    interpreter,
    openLog: () => new DeltaLog(deltas, report),
    report,
  }
  const services = [
    ...[...registry.keys()].map((id) => workflowOf(id, home, settings)),
    accountService(namespace),
  ]
  const sealed = sealing === undefined ? {} : { journalValueCodecProvider: async () => codecOf(sealing) }
  return {
    services,
    ...sealed,
    async listen(options = {}) {
      const read = readOptions<ListenOptions>(options, `${where}: listen`, listenFields)
      const { port, host } = { ...defaultsOf(listenFields), ...read }
      const handler = createEndpointHandler({
        services,
        ...sealed,
        ...(logger === undefined ? {} : { logger }),
        ...(identityKeys === undefined ? {} : { identityKeys: [...identityKeys] }),
      })
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

/** The memory of one worker: other workers, and the client, would not find the files in it. */
function withoutBlobs({ memory, config }: Store): Pick<Store, 'memory' | 'config'> {
  return { memory, config }
}
