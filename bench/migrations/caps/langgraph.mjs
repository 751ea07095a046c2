/** The model calls of an agent that never ends, by the defaults. */
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'
import { endless, made } from '../models/langgraph.mjs'

const weather = tool(() => 'Rain.', { name: 'weather', schema: z.object({ city: z.string() }) })
const agent = createReactAgent({ llm: endless, tools: [weather] })
const end = await agent.invoke({ messages: [{ role: 'user', content: 'Go' }] }).then(
  () => 'ends',
  (error) => error.name,
)
console.log(JSON.stringify({ createReactAgent: [made(), end] }))
