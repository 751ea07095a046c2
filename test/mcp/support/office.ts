/** An MCP server of this process, and connections to it over Streamable HTTP without a socket. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  type CallToolResult,
} from '@modelcontextprotocol/server'
import { mcpConnection, type McpConnection, type McpConnectionOptions } from 'troupe/mcp'
import { z } from 'zod'

export interface Office {
  /** Each call that reached a tool: its name, and its arguments. */
  readonly calls: { readonly tool: string; readonly args: object; readonly meta: object }[]
  /** How often the tools were listed. */
  readonly lists: { count: number }
  /** Fires with the reason when the server learns that a call of `wait` is cancelled. */
  readonly cancelled: Promise<unknown>
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

const text = (value: string, more: Partial<CallToolResult> = {}): CallToolResult => ({
  content: [{ type: 'text', text: value }],
  ...more,
})

/** `extra` registers further tools. */
export function office(extra: (server: McpServer) => void = () => undefined): Office {
  const calls: Office['calls'] = []
  const lists = { count: 0 }
  const cancelled = Promise.withResolvers<unknown>()
  const record = (tool: string, args: object, meta: object = {}): void =>
    void calls.push({ tool, args, meta })

  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'office', version: '1' }, { capabilities: { tools: {} } })
    server.registerTool(
      'look.up',
      {
        description: 'Looks a word up.',
        inputSchema: z.object({ word: z.string() }),
        annotations: { readOnlyHint: true },
      },
      async (args, ctx) => {
        record('look.up', args, ctx.mcpReq._meta)
        return text(`all about ${args.word}`)
      },
    )
    server.registerTool(
      'measure',
      {
        description: 'Measures.',
        inputSchema: z.object({ of: z.string() }),
        outputSchema: z.object({ metres: z.number() }),
        annotations: { idempotentHint: true },
      },
      async (args) => {
        record('measure', args)
        return { content: [{ type: 'text', text: '{"metres":3}' }], structuredContent: { metres: 3 } }
      },
    )
    server.registerTool(
      'shred',
      {
        description: 'Destroys a file.',
        inputSchema: z.object({ file: z.string() }),
        annotations: { destructiveHint: true },
      },
      async (args) => {
        record('shred', args)
        return text(`There is no file ${args.file}.`, { isError: true })
      },
    )
    server.registerTool(
      'wait',
      { description: 'Takes its time.', inputSchema: z.object({}) },
      async (args, ctx) => {
        record('wait', args)
        const token = ctx.mcpReq._meta?.progressToken
        if (token !== undefined) {
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: token, progress: 1, total: 2, message: 'half of it' },
          })
        }
        await new Promise<void>((resolve) => ctx.mcpReq.signal.addEventListener('abort', () => resolve()))
        cancelled.resolve(ctx.mcpReq.signal.reason)
        return text('never read')
      },
    )
    server.registerTool(
      'deploy',
      { description: 'Deploys.', inputSchema: z.object({ to: z.string() }) },
      async ({ to }, ctx) => {
        const { inputResponses } = ctx.mcpReq
        const answer = inputResponse(inputResponses, 'confirm')
        if (answer.kind !== 'elicit') {
          const confirm = inputRequired.elicit({
            message: `Deploy to ${to}?`,
            requestedSchema: z.object({ window: z.enum(['day', 'night']) }),
          })
          return inputRequired({ inputRequests: { confirm }, requestState: `deploy to ${to}` })
        }
        const accepted = acceptedContent(inputResponses, 'confirm', z.object({ window: z.string() }))
        record('deploy', { to, window: accepted?.window, state: ctx.mcpReq.requestState() })
        return text(
          accepted === undefined ? `not deployed: ${answer.action}` : `deployed at ${accepted.window}`,
        )
      },
    )
    extra(server)
    return server
  })
  return {
    calls,
    lists,
    cancelled: cancelled.promise,
    async fetch(request) {
      if ((await request.clone().text()).includes('"tools/list"')) lists.count++
      return handler.fetch(request)
    },
    close: () => handler.close(),
  }
}

/** A transport to the server; `fault` may fail a request before it reaches the server. */
export function transportTo(
  { fetch }: Pick<Office, 'fetch'>,
  fault: (request: Request) => Promise<void> = async () => undefined,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL('http://office.test/mcp'), {
    fetch: async (url, init) => {
      const request = new Request(url, init)
      await fault(request.clone())
      return fetch(request)
    },
  })
}

export function connectionTo(
  server: Pick<Office, 'fetch'>,
  options: Partial<McpConnectionOptions> = {},
): McpConnection {
  return mcpConnection({ transport: () => transportTo(server), ...options })
}
