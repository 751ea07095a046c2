/** `mcpServer`: agents as the tools of an MCP server. */
import { isRecord, once, readOptions, reporterOf } from '../../kit/index.ts'
import type { McpServer, McpServerFactory, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defaultAnswerTimeout, serverFields, type AskedState, type McpServerOptions } from './options.ts'
import { serveCall, type Serving } from './serve-call.ts'

const input = once(() =>
  z.object({ prompt: z.string().min(1).describe('The complete task: the agent sees nothing else') }),
)

/**
 * Offers agents as the tools of an MCP server, one tool an agent: `createMcpHandler(mcpServer({ … }))` of
 * `@modelcontextprotocol/server` serves them over Streamable HTTP, and `serveStdio(mcpServer({ … }))` over stdio. A run
 * that waits for a person asks the client, and goes on with its answer. Throws a `ConfigurationError` for a wrong option.
 */
export function mcpServer(options: McpServerOptions): McpServerFactory {
  const read = readOptions<McpServerOptions>(options, 'mcpServer', serverFields)
  const codec = once(() => codecOf(read))
  const report = reporterOf(read.onError)
  return async () => {
    const { McpServer } = await import('@modelcontextprotocol/server')
    const states = await codec()
    const { agents, name = 'troupe', version = '1' } = read
    const server = new McpServer(
      { name, version },
      { capabilities: { tools: {} }, requestState: { verify: (state, call) => states.verify(state, call) } },
    )
    const serving: Serving = {
      options: read,
      report,
      sign: (state, call) => states.mint(state, call),
      canAsk: (call) => canAsk(server, call),
    }
    for (const [tool, agent] of Object.entries(agents)) {
      server.registerTool(
        tool,
        { description: agent.description, inputSchema: input() },
        ({ prompt }, call) => serveCall({ name: tool, agent }, prompt, call, serving),
      )
    }
    return server
  }
}

/** The state names a run: it is signed, and belongs to the holder of the access token. */
async function codecOf({ secret, answerTimeout = defaultAnswerTimeout }: McpServerOptions) {
  const { createRequestStateCodec } = await import('@modelcontextprotocol/server')
  return createRequestStateCodec<AskedState>({
    key: secret ?? crypto.getRandomValues(new Uint8Array(32)),
    ttlSeconds: Math.ceil(answerTimeout / 1000),
    bind: ({ http }) => http?.authInfo?.clientId ?? '',
  })
}

const capabilitiesField = 'io.modelcontextprotocol/clientCapabilities'

/** A client states its capabilities with each request, or, before the revision 2026-07-28, when it connects. */
function canAsk(server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope: unknown = mcpReq.envelope
  const stated = isRecord(envelope) ? envelope[capabilitiesField] : statedAtConnect(server)
  return isRecord(stated) && isRecord(stated['elicitation'])
}

function statedAtConnect({ server }: McpServer): unknown {
  // oxlint-disable-next-line typescript/no-deprecated -- the only place for connections of the older revisions
  return server.getClientCapabilities()
}
