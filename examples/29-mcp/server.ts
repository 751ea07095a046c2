/** A travel office as an MCP server, which any client may start as a program of its own. It asks before it books. */
import { appendFileSync } from 'node:fs'
import { acceptedContent, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [ledger = 'bookings.txt'] = process.argv.slice(2)
const seats = z.object({ seat: z.enum(['window', 'aisle']) })

serveStdio(() => {
  const server = new McpServer({ name: 'travel-office', version: '1' }, { capabilities: { tools: {} } })
  server.registerTool(
    'timetable',
    {
      description: 'Gives the trains to a city.',
      inputSchema: z.object({ city: z.string() }),
      outputSchema: z.object({ trains: z.array(z.string()) }),
      annotations: { readOnlyHint: true },
    },
    async () => ({ content: [], structuredContent: { trains: ['8:10', '14:25'] } }),
  )
  server.registerTool(
    'book',
    { description: 'Books a train.', inputSchema: z.object({ city: z.string(), train: z.string() }) },
    async ({ city, train }, { mcpReq: { inputResponses } }) => {
      if (inputResponse(inputResponses, 'seat').kind === 'missing') {
        const seat = inputRequired.elicit({
          message: `Which seat to ${city}, ${train}?`,
          requestedSchema: seats,
        })
        return inputRequired({ inputRequests: { seat } })
      }
      const chosen = acceptedContent(inputResponses, 'seat', seats)
      if (chosen === undefined) return { content: [{ type: 'text', text: 'Nothing is booked.' }] }
      appendFileSync(ledger, `${city} ${train} ${chosen.seat}\n`)
      return { content: [{ type: 'text', text: `Booked: ${city}, ${train}, ${chosen.seat} seat.` }] }
    },
  )
  return server
})
