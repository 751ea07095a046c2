/** AI SDK 7: a `ToolLoopAgent`. It has no subagents: a delegation is a tool that runs another agent, as its guide says. */
import { ToolLoopAgent, isStepCount, tool } from 'ai'
import { z } from 'zod'
import { scriptedModel } from './ai-sdk-model.mjs'

export function create(job, kit) {
  const agent = agentOf(job, kit)
  return async () => (await agent.generate({ prompt: job.task })).text
}

function agentOf({ instructions, script, helper }, kit) {
  return new ToolLoopAgent({
    model: scriptedModel(script, kit),
    instructions,
    tools: helper === undefined ? { add: addTool(kit) } : { 'agent-helper': delegation(helper, kit) },
    stopWhen: isStepCount(kit.repliesOf(script)),
    maxRetries: 0,
  })
}

const addTool = (kit) =>
  tool({
    description: kit.addDescription,
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: kit.add,
  })

function delegation(helper, kit) {
  const agent = agentOf(helper, kit)
  return tool({
    description: kit.helperDescription,
    inputSchema: z.object({ prompt: z.string() }),
    async execute({ prompt }, { abortSignal }) {
      return (await agent.generate({ prompt, abortSignal })).text
    },
  })
}
