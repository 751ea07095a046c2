/** `mcpConnection`: a connection that is made when it is first needed, and made again when it is lost. */
import { TroupeError } from '../../index.ts'
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
  required,
  whatever,
} from '../../kit/index.ts'
import { withoutPatterns } from '../../kit/host.ts'
import { unobserved } from '../../kit/wire/index.ts'
import type {
  Client,
  ClientCapabilities,
  jsonSchemaValidator,
  JsonSchemaType,
  JsonSchemaValidator,
  Transport,
} from '@modelcontextprotocol/client'
import type { McpClient } from './client.ts'
import { unavailable } from './failures.ts'

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
}

/** A connection to an MCP server. All tools that are made with it share it. */
export interface McpConnection {
  /**
   * The connected client. Parallel callers share one attempt to connect. Rejects with a `RetryableError`
   * (`MCP_UNAVAILABLE`), with a `TerminalError` where the server refuses (`UNAUTHORISED`, `MCP_REFUSED`), and with a
   * `TroupeError` (`MCP_CLOSED`) after `close`.
   */
  client(): Promise<McpClient>
  /** Gives up a client whose connection is lost: the next call of `client` connects anew. A newer client stays. */
  lost(client: McpClient): void
  /** Ends the connection for good. */
  close(): Promise<void>
}

const fields: Fields<McpConnectionOptions> = {
  transport: required(aFunction),
  name: optional(aName),
  version: optional(aName),
  prepare: optional(aFunction),
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

class Connection implements McpConnection {
  readonly #options: McpConnectionOptions
  #current: Promise<Client> | undefined
  /** The client of `#current`, once it is connected. */
  #connected: Client | undefined
  #isClosed = false

  constructor(options: McpConnectionOptions) {
    this.#options = options
  }

  client(): Promise<Client> {
    if (this.#isClosed) {
      return Promise.reject(
        new TroupeError('MCP_CLOSED', 'The connection to the MCP server has been closed.'),
      )
    }
    if (this.#current !== undefined) return this.#current
    const promise = noContext.run(() => this.#connect()) // all callers share it
    this.#current = promise
    promise.catch(() => this.#forget(promise))
    return promise
  }

  lost(client: McpClient): void {
    const old = this.#connected
    if (old === undefined || old !== client) return
    this.#connected = undefined
    this.#current = undefined
    void unobserved(old.close()) // it is lost: an error of its close would tell nothing
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const current = this.#current
    this.#current = undefined
    this.#connected = undefined
    const client = await current?.catch(() => undefined) // no connection, nothing to close
    await client?.close()
  }

  #forget(promise: Promise<Client>): void {
    if (this.#current === promise) this.#current = undefined
  }

  async #connect(): Promise<Client> {
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
    try {
      const made = await askUser('transport of mcpConnection', transport, aTransport)
      await client.connect(made as Transport)
    } catch (error) {
      throw unavailable(error)
    }
    const own = client.onclose
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client of MCP is no event target
    client.onclose = () => {
      this.lost(client)
      own?.()
    }
    this.#connected = client
    return client
  }
}
