/** A support desk: a supervisor with a clerk, who looks orders up, and a writer. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createDesk(model: ChatModel, say: (what: string) => void) {
  const order = createTool({
    id: 'order',
    description: 'Looks an order up.',
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }) => {
      say(`looks up ${id}`)
      return { id, left: 'Friday', arrives: 'Wednesday' }
    },
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Knows about orders.',
    instructions: 'You look up orders. Say what you have found.',
    model,
    tools: { order },
  })
  const writer = createAgent({
    id: 'writer',
    description: 'Writes replies to customers.',
    instructions: 'You write replies to customers, short and friendly.',
    model,
  })
  return createSupervisor({
    id: 'desk',
    instructions: 'You run a support desk. Find out what there is to know, and have a reply written.',
    model,
    agents: { clerk, writer },
  })
}

export type Desk = ReturnType<typeof createDesk>
