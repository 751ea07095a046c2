/** A travel desk, whose tools are those of an MCP server. */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createAgent, type ChatModel } from 'troupe'
import { mcpConnection, mcpTools, type McpConnection } from 'troupe/mcp'

/** Starts the server's program when a tool is first needed. */
export function connectOffice(ledger: string): McpConnection {
  const program = new URL('server.ts', import.meta.url).pathname
  return mcpConnection({
    transport: () => new StdioClientTransport({ command: process.execPath, args: [program, ledger] }),
  })
}

export function createDesk(model: ChatModel, office: McpConnection) {
  return createAgent({
    id: 'desk',
    description: 'Books journeys.',
    instructions: 'You are the travel desk: find a train, book it, and say what is booked.',
    model,
    tools: () => mcpTools(office),
  })
}
