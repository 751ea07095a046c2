/** A desk that a program of Mastra has: but for its import it is written against Mastra's names. */
import type { ChatModel } from 'troupe'
import { Agent, createTool, Memory } from 'troupe/mastra'
import { z } from 'zod'

/** The `model` may be a text, such as `openai/gpt-5-mini`; the examples have one of their own. */
export function createPressDesk(model: ChatModel) {
  const researcher = new Agent({
    id: 'research-agent',
    description: 'Finds facts in the archive, and answers in short points.',
    instructions: 'You find facts in the archive.',
    model,
    tools: { archive },
  })
  const writer = new Agent({
    id: 'writing-agent',
    description: 'Writes a paragraph from facts.',
    instructions: 'You write one paragraph from facts.',
    model,
  })
  return new Agent({
    id: 'press-desk',
    instructions: 'You coordinate research and writing. Delegate to your agents, then answer.',
    model,
    agents: { researcher, writer },
    memory: new Memory(),
  })
}

const archive = createTool({
  id: 'search-archive',
  description: 'Finds facts on a subject.',
  inputSchema: z.object({ subject: z.string() }),
  execute: async ({ subject }) => `${subject}: twice a day, by the moon.`,
})
