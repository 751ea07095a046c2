/** `mcpConnection`: a connection that is made when it is first needed, and made again when it is lost. */
import { type OnError, TroupeError } from '../../index.ts'
import {
  type Expected,
  type Fields,
  aFunction,
  aName,
  askUser,
  isObject,
  noContext,
  optional,
  readOptions,
  reporterOf,
  required,
  safely,
  whatever,
} from '../../kit/index.ts'
import { withoutPatterns } from '../../kit/host.ts'
import type {
  ClientCapabilities,
  jsonSchemaValidator,
  JsonSchemaType,
  JsonSchemaValidator,
  Transport,
} from '@modelcontextprotocol/client'
import { type ActorRefFrom, type EventFrom, createActor, fromPromise, waitFor } from 'xstate'
import type { McpClient } from './client.ts'
import { connectionMachine, type HeldSession } from './connection-machine.ts'
import { unavailable } from './failures.ts'
import { Session, sessionOf } from './session.ts'

/** A transport of `@modelcontextprotocol/client`, such as `StreamableHTTPClientTransport` or `StdioClientTransport`. */
export interface McpTransport {
  start(): Promise<void>
  close(): Promise<void>
}

/** The options of `mcpConnection`. */
export interface McpConnectionOptions {
  /** Makes a transport; called for each connection, since a transport serves one. */
  readonly transport: () => McpTransport | Promise<McpTransport>
  /** The name of this program, as servers see it. Default: `troupe`. */
  readonly name?: string
  /** The version of this program, as servers see it. Default: `1`. */
  readonly version?: string
  /**
   * Called with each new client before it connects, for handlers and capabilities of your own. Its argument is a
   * `Client` of `@modelcontextprotocol/client`. Where it throws, or is not done within a minute, there is no connection.
   * Default: none.
   */
  readonly prepare?: (client: object) => void | Promise<void>
  /** Called with each state that the connection enters. An error that it throws is reported, and changes nothing. Default: none. */
  readonly onState?: (change: McpConnectionChange) => unknown
  /** Receives errors of `onState`. Default: one `console.warn` each. */
  readonly onError?: OnError
}

/**
 * `idle`: nothing is started. `connecting`, `reconnecting`: a client connects, for the first time or after a loss. `ready`: it
 * takes calls. `lost`: its session is gone, and the next call makes another. `unreachable`, `refused`: the last attempt failed, and
 * the next call makes another. `closed`: the program has closed it.
 */
export type McpConnectionState =
  'idle' | 'connecting' | 'ready' | 'lost' | 'reconnecting' | 'unreachable' | 'refused' | 'closed'

/** A state that a connection has entered. */
export interface McpConnectionChange {
  readonly state: McpConnectionState
  /** Why the last attempt failed, in `unreachable` and `refused`. */
  readonly error?: unknown
}

/** A connection to an MCP server. All tools that are made with it share it. */
export interface McpConnection {
  /** The present state: for pages and health checks, since calls wait for what they need. */
  readonly state: McpConnectionState
  /**
   * The connected client. Parallel callers share one attempt to connect. Rejects with a `RetryableError`
   * (`MCP_UNAVAILABLE`), with a `TerminalError` where the server refuses (`UNAUTHORISED`, `MCP_REFUSED`), and with a
   * `TroupeError` (`MCP_CLOSED`) after `close`.
   */
  client(): Promise<McpClient>
  /**
   * Gives up a client whose session is lost: the next call of `client` connects anew. The calls that the old client has begun
   * go on with it. A newer client stays.
   */
  lost(client: McpClient): void
  /** Ends the connection for good. */
  close(): Promise<void>
}

const fields: Fields<McpConnectionOptions> = {
  transport: required(aFunction),
  name: optional(aName),
  version: optional(aName),
  prepare: optional(aFunction),
  onState: optional(aFunction),
  onError: optional(aFunction),
}

const aTransport: Expected<McpTransport> = {
  words: 'a transport',
  fits: (answer): answer is McpTransport => isObject(answer) && 'start' in answer,
}

/** Questions to a person are held in the journal: the client asks for them, and answers none of them itself. */
const capabilities: ClientCapabilities = { elicitation: { form: {}, url: {} } }

/**
 * Describes a connection to an MCP server; nothing is started yet. The newest revision of the protocol that the server
 * speaks is used. Throws a `ConfigurationError` for a wrong option.
 */
export function mcpConnection(options: McpConnectionOptions): McpConnection {
  return new Connection(readOptions<McpConnectionOptions>(options, 'mcpConnection', fields))
}

/** The validator of the package, for results; it would run the patterns of the server. */
function validatorOf({
  fromJsonSchema,
}: Pick<typeof import('@modelcontextprotocol/client'), 'fromJsonSchema'>): jsonSchemaValidator {
  return {
    getValidator<Value>(schema: JsonSchemaType): JsonSchemaValidator<Value> {
      const { validate } = fromJsonSchema<Value>(withoutPatterns(schema))['~standard']
      return (value) => {
        const result = validate(value)
        if (result instanceof Promise)
          return { valid: false, data: undefined, errorMessage: 'it is checked later' }
        return result.issues === undefined
          ? { valid: true, data: result.value, errorMessage: undefined }
          : {
              valid: false,
              data: undefined,
              errorMessage: result.issues.map(({ message }) => message).join('; '),
            }
      }
    },
  }
}

/** Says that the connection was closed. */
const closedByProgram = (): TroupeError =>
  new TroupeError('MCP_CLOSED', 'The connection to the MCP server has been closed.')

class Connection implements McpConnection {
  readonly #options: McpConnectionOptions
  readonly #actor: ActorRefFrom<ReturnType<typeof connectionMachine>>
  /** What must have ended before `close` resolves. */
  readonly #ending = new Set<Promise<unknown>>()

  constructor(options: McpConnectionOptions) {
    this.#options = options
    const { onState, onError } = options
    const connect = fromPromise<HeldSession>(({ signal }) => this.#tracked(this.#connect(signal)))
    this.#actor = createActor(connectionMachine().provide({ actors: { connect } }))
    if (onState !== undefined) {
      const tell = safely<McpConnectionChange>('onState of mcpConnection', onState, reporterOf(onError))
      let last: McpConnectionState = 'idle'
      this.#actor.subscribe(({ value, context: { error } }) => {
        if (value === last) return
        last = value
        tell({ state: value, ...(value === 'unreachable' || value === 'refused' ? { error } : {}) })
      })
    }
    this.#actor.start()
  }

  get state(): McpConnectionState {
    return this.#actor.getSnapshot().value
  }

  async client(): Promise<McpClient> {
    this.#send({ type: 'client.wanted' })
    const { value, context } = await waitFor(this.#actor, (snapshot) => !snapshot.hasTag('trying'))
    if (value === 'closed') throw closedByProgram()
    if (context.session === undefined) throw context.error
    return context.session.client
  }

  lost(client: McpClient): void {
    const session = sessionOf(client)
    if (session !== undefined) this.#send({ type: 'session.lost', session })
  }

  async close(): Promise<void> {
    this.#send({ type: 'connection.closed' })
    await Promise.allSettled(this.#ending)
  }

  /** All callers share what an event begins: it belongs to the context of none. */
  #send(event: EventFrom<ReturnType<typeof connectionMachine>>): void {
    noContext.run(() => this.#actor.send(event))
  }

  #tracked<Value>(promise: Promise<Value>): Promise<Value> {
    this.#ending.add(promise)
    const ended = (): void => void this.#ending.delete(promise)
    promise.then(ended, ended) // who waits for the client is told of an error
    return promise
  }

  async #connect(signal: AbortSignal): Promise<Session> {
    const { transport, name = 'troupe', version = '1', prepare } = this.#options
    const sdk = await import('@modelcontextprotocol/client')
    const client = new sdk.Client(
      { name, version },
      {
        capabilities,
        versionNegotiation: { mode: 'auto' },
        inputRequired: { autoFulfill: false },
        jsonSchemaValidator: validatorOf(sdk),
      },
    )
    if (prepare !== undefined) await askUser('prepare of mcpConnection', () => prepare(client), whatever)
    const session = new Session(client)
    try {
      const made = await askUser('transport of mcpConnection', transport, aTransport)
      await session.connect(made as Transport, signal)
    } catch (error) {
      throw unavailable(error)
    }
    const own = client.onclose
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of MCP is no event target
    client.onclose = () => {
      session.gone()
      this.lost(client)
      own?.()
    }
    void this.#tracked(session.closed)
    return session
  }
}
