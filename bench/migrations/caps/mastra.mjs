/** The model calls of an agent that never ends, by the defaults. */
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { endless, made } from '../models/ai.mjs'

const weather = createTool({
  id: 'weather',
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async () => 'Rain.',
})
const agent = new Agent({
  id: 'guide',
  name: 'Guide',
  instructions: 'Go.',
  model: endless,
  tools: { weather },
})
const { finishReason } = await agent.generate('Go')
console.log(JSON.stringify({ generate: [made(), finishReason] }))
