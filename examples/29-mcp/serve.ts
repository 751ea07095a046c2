/** Serves agents over HTTP to MCP clients: those of today, and those of 2025, which are asked within a session. */
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { mcpServer, type McpServerOptions } from 'troupe/mcp'

export interface Served {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

export function serveAgents(options: McpServerOptions): Served {
  const factory = mcpServer(options)
  const today = createMcpHandler(factory, { legacy: 'reject' })
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function older(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      return sessions.get(id)?.handleRequest(request) ?? new Response('Session not found', { status: 404 })
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (begun) => void sessions.set(begun, transport),
      onsessionclosed: (ended) => void sessions.delete(ended),
    })
    const server = await factory({ era: 'legacy' })
    await server.connect(transport)
    return transport.handleRequest(request)
  }

  return {
    // A page of another site must not reach a server of this machine: only its own names are answered.
    fetch: async (request) =>
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins()) ??
      ((await isLegacyRequest(request)) ? older(request) : today.fetch(request)),
    close: async () => {
      await Promise.all([...sessions.values()].map((transport) => transport.close()))
      await today.close()
    },
  }
}
