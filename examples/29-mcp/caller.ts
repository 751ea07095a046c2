/** Other programs' MCP clients: they call the desk as a tool, and answer its questions at once. */
import { once } from 'node:events'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { serve } from '@hono/node-server'
import type { McpServerOptions } from 'troupe/mcp'
import { serveAgents } from './serve.ts'

/** The revision that a client speaks: the newest, or one of 2025. */
export type Revision = 'auto' | 'legacy'

/** The text of the answer. */
export async function callOverHttp(
  options: McpServerOptions,
  prompt: string,
  revision: Revision,
  tell: (what: string) => void,
) {
  const agents = serveAgents(options)
  const server = serve({ fetch: agents.fetch, port: 0, hostname: '127.0.0.1' })
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = new Client(
    { name: 'caller', version: '1' },
    { versionNegotiation: { mode: revision }, capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    tell(`is asked: ${params.message}`)
    return { action: 'accept', content: { seat: 'aisle' } }
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))
  const [tool] = Object.keys(options.agents)
  const { content } = await client.callTool(
    { name: tool ?? '', arguments: { prompt } },
    { onprogress: ({ message }) => tell(`hears: ${message}`) },
  )
  await client.close()
  await agents.close()
  server.close()
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
