/** A festival: a supervisor of two supervisors, each with agents of its own. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

export function createFestival(model: ChatModel) {
  const scout = createAgent({
    id: 'scout',
    description: 'Finds one band of a kind.',
    instructions: 'You are a scout. Name one band, in one sentence.',
    model,
  })
  const technician = createAgent({
    id: 'technician',
    description: 'Says what a stage needs.',
    instructions: 'You are the technician. Say what the stage needs, in one sentence.',
    model,
  })
  const cook = createAgent({
    id: 'cook',
    description: 'Says what there will be to eat, and what it costs.',
    instructions: 'You are the cook. Look prices up, then propose one dish in one sentence.',
    model,
    tools: { price },
  })

  const music = createSupervisor({
    id: 'music',
    description: 'In charge of bands and the stage.',
    instructions: 'You are in charge of music. Ask your agents, then sum up in one sentence.',
    model,
    agents: { scout, technician },
  })
  const food = createSupervisor({
    id: 'food',
    description: 'In charge of what there is to eat.',
    instructions: 'You are in charge of food. Ask your agents, then sum up in one sentence.',
    model,
    agents: { cook },
  })

  return createSupervisor({
    id: 'festival',
    instructions: 'You organise street festivals. Ask those in charge, then announce the festival.',
    model,
    agents: { music, food },
  })
}

const price = createTool({
  id: 'price',
  description: 'What an ingredient costs, in euros a kilo.',
  inputSchema: z.object({ ingredient: z.string() }),
  execute: ({ ingredient }) => ({ ingredient, euros: ingredient.length / 2 }),
})
