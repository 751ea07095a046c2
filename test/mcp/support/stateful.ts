/** A server of the older revisions, which keeps a session for each client and can lose them. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { mcpConnection, type McpConnection, type McpConnectionOptions } from 'troupe/mcp'
import { z } from 'zod'

/** How the server refuses a request of a session that it does not know; `body` is that of the request. */
export type Refuse = (body: unknown) => Response

export interface Desk {
  /** The keys of calls that the tool has begun, in their order. */
  readonly begun: string[]
  /** The keys of calls that it has answered. */
  readonly answered: string[]
  /** How many sessions clients have begun. */
  readonly sessions: { count: number }
  fetch(request: Request): Promise<Response>
  /** Forgets all sessions; the calls that are under way go on. */
  forget(): void
  /** Ends as a process does: its sessions are gone, its answers are cut. Until `start` nothing can be sent. */
  stop(): void
  start(): void
  /** Lets the calls of the tool `slow` go on. */
  release(): void
}

/** The official package's words for a session that it does not know. */
export const notInitialized: Refuse = () =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Bad Request: Server not initialized' } },
    { status: 400 },
  )

interface Life {
  readonly sessions: Map<string, WebStandardStreamableHTTPServerTransport>
  readonly cut: AbortController
}

/** `tell` hears of each call as it begins and as it is answered. */
export function desk(
  refuse: Refuse = notInitialized,
  register: (server: McpServer) => void = () => undefined,
  tell: (what: 'begun' | 'answered', key: string) => void = () => undefined,
): Desk {
  const begun: string[] = []
  const answered: string[] = []
  const sessions = { count: 0 }
  let gate = Promise.withResolvers<void>()
  let life: Life | undefined = born()

  const serverOf = (): McpServer => {
    const server = new McpServer({ name: 'desk', version: '1' })
    const tool = (name: string, wait: () => Promise<void>): void => {
      server.registerTool(
        name,
        { description: name, inputSchema: z.object({ n: z.string() }) },
        async ({ n }) => {
          begun.push(n)
          tell('begun', n)
          await wait()
          answered.push(n)
          tell('answered', n)
          return { content: [{ type: 'text', text: `booked ${n}` }] }
        },
      )
    }
    tool('book', async () => undefined)
    tool('slow', () => gate.promise)
    register(server)
    return server
  }

  async function fresh(request: Request, { sessions: known }: Life): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.count++
        known.set(id, transport)
      },
    })
    await serverOf().connect(transport)
    return transport.handleRequest(request)
  }

  return {
    begun,
    answered,
    sessions,
    async fetch(request) {
      if (life === undefined) throw refusedByNetwork()
      const { cut } = life
      const id = request.headers.get('mcp-session-id')
      if (id === null) return cuttable(await fresh(request, life), cut.signal)
      const transport = life.sessions.get(id)
      if (transport !== undefined) return cuttable(await transport.handleRequest(request), cut.signal)
      return refuse(request.method === 'POST' ? await request.json() : undefined)
    },
    forget: () => life?.sessions.clear(),
    stop: () => {
      life?.cut.abort()
      life = undefined
    },
    start: () => {
      life ??= born()
    },
    release: () => {
      gate.resolve()
      gate = Promise.withResolvers<void>()
    },
  }
}

const born = (): Life => ({ sessions: new Map(), cut: new AbortController() })

const refusedByNetwork = (): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('ECONNREFUSED'), { code: 'ECONNREFUSED' }) })

/** The response with a body that ends with an error when its server does. */
function cuttable(response: Response, signal: AbortSignal): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const end = (): void => {
        try {
          controller.error(new TypeError('terminated'))
        } catch {
          // it has ended already
        }
        void reader.cancel().catch(() => undefined) // its server is gone
      }
      if (signal.aborted) end()
      signal.addEventListener('abort', end, { once: true })
    },
    pull: async (controller) => {
      const { done, value } = await reader.read()
      if (signal.aborted) return
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, response)
}

export function connectionToDesk(
  { fetch }: Pick<Desk, 'fetch'>,
  options: Partial<McpConnectionOptions> = {},
): McpConnection {
  return mcpConnection({
    transport: () =>
      new StreamableHTTPClientTransport(new URL('http://desk.test/mcp'), {
        fetch: (url, init) => fetch(new Request(url, init)),
      }),
    ...options,
  })
}
