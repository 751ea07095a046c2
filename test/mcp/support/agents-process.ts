/** A program that offers an agent over stdio, as any MCP client may start it. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createTroupe } from 'troupe'
import { mcpServer } from 'troupe/mcp'
import { worker } from '../../support/agents/agents.ts'

const { agent } = worker('poet', [], { otherwise: 'Snow falls.' })
serveStdio(mcpServer({ agents: { poet: agent }, troupe: createTroupe({ agents: [agent] }) }))
