/** Mastra: an `Agent` of a `Mastra` without storage; a delegation is its own tool of a subagent, `agent-helper`. */
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { scriptedModel } from './ai-sdk-model.mjs'

export function create(job, kit) {
  const lead = agentOf('lead', job, kit)
  const agent = new Mastra({ agents: { lead }, logger: false }).getAgent('lead')
  const options = { maxSteps: kit.repliesOf(job.script), toolCallConcurrency: job.script.perReply }
  return async () => (await agent.generate(job.task, options)).text
}

function agentOf(id, { instructions, script, helper }, kit) {
  const model = scriptedModel(script, kit, { specificationVersion: 'v3' })
  const common = { id, name: id, description: kit.helperDescription, instructions, model, maxRetries: 0 }
  if (helper !== undefined)
    return new Agent({ ...common, agents: { helper: agentOf('helper', helper, kit) } })
  const add = createTool({
    id: 'add',
    description: kit.addDescription,
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async (input) => kit.add(input),
  })
  return new Agent({ ...common, tools: { add } })
}
