/** The model calls of an agent that never ends, by the defaults. */
import { ToolLoopAgent, generateText, tool } from 'ai'
import { z } from 'zod'
import { endless, made } from '../models/ai.mjs'

const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => 'Rain.' })
const text = await generateText({ model: endless, tools: { weather }, prompt: 'Go' })
const first = made()
const agent = new ToolLoopAgent({ model: endless, tools: { weather } })
const { finishReason } = await agent.generate({ prompt: 'Go' })
console.log(
  JSON.stringify({ generateText: [first, text.finishReason], ToolLoopAgent: [made() - first, finishReason] }),
)
