/** The model calls of an agent that never ends, by the defaults. */
import { Agent, run, tool } from '@openai/agents'
import { z } from 'zod'
import { endless, made } from '../models/openai-agents.mjs'

const weather = tool({
  name: 'weather',
  description: 'Tells the weather.',
  parameters: z.object({ city: z.string() }),
  execute: () => 'Rain.',
})
const agent = new Agent({ name: 'Guide', model: endless, tools: [weather] })
const end = await run(agent, 'Go').then(
  () => 'ends',
  (error) => error.constructor.name,
)
console.log(JSON.stringify({ run: [made(), end] }))
