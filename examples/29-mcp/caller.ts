/** Another program's MCP client: it calls the desk as a tool, and answers its questions at once. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { mcpServer, type McpServerOptions } from 'troupe/mcp'

/** The text of the answer. */
export async function callOverHttp(options: McpServerOptions, prompt: string, tell: (what: string) => void) {
  const server = createMcpHandler(mcpServer(options))
  const client = new Client(
    { name: 'caller', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    tell(`is asked: ${params.message}`)
    return { action: 'accept', content: { seat: 'aisle' } }
  })
  // A real server answers on a port; here its requests are handed over.
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> =>
    server.fetch(new Request(url, init))
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }))
  const [tool] = Object.keys(options.agents)
  const { content } = await client.callTool(
    { name: tool ?? '', arguments: { prompt } },
    { onprogress: ({ message }) => tell(`hears: ${message}`) },
  )
  await client.close()
  await server.close()
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
