/** A team whose models come from the AI SDK: a lead that delegates to a researcher with a tool. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createSeaDesk(model: ChatModel) {
  const researcher = createAgent({
    id: 'researcher',
    description: 'Looks tides up in the almanac.',
    instructions: 'You research. Use the almanac.',
    model,
    tools: { almanac },
  })
  return createSupervisor({
    id: 'desk',
    instructions: 'You are the desk of a harbour. Ask the researcher for facts.',
    model,
    agents: { researcher },
  })
}

const almanac = createTool({
  id: 'almanac',
  description: 'High water of a harbour.',
  inputSchema: z.object({ harbour: z.string() }),
  execute: ({ harbour }) => ({ harbour, highWater: ['05:12', '17:40'] }),
})
