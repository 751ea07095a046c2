/** Troupe, as it is packed: a troupe of its own for each round, with its journal in memory and its events on. */
import { createAgent, createSupervisor, createTool, createTroupe } from 'troupe'
import { z } from 'zod'

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

export function create(job, kit) {
  const agent = agentOf('lead', job, kit)
  const { start } = createTroupe({ agents: [agent] })
  return async () => (await (await start(agent, job.task)).result).text
}

function agentOf(id, { instructions, script, helper }, kit) {
  const maxSteps = kit.repliesOf(script)
  const common = {
    id,
    description: kit.helperDescription,
    instructions,
    model: modelOf(script, kit),
    maxSteps,
  }
  if (helper !== undefined) {
    const agents = { helper: agentOf('helper', helper, kit) }
    return createSupervisor({ ...common, agents, toolCallConcurrency: script.perReply })
  }
  const add = createTool({
    id: 'add',
    description: kit.addDescription,
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: kit.add,
  })
  return createAgent({ ...common, tools: { add } })
}

function modelOf(script, kit) {
  return {
    provider: 'bench',
    modelId: 'scripted',
    async generate({ messages }) {
      const { text, calls } = kit.replyTo(idsOf(messages), script)
      const toolCalls = calls.map(({ id, name, args }) => ({ id, name, args: { ...args } }))
      return { text, toolCalls, finishReason: calls.length === 0 ? 'stop' : 'tool-calls', usage }
    },
  }
}

function idsOf(messages) {
  const ids = []
  for (let index = messages.length - 1; messages[index]?.role === 'tool'; index--)
    ids.push(messages[index].toolCallId)
  return ids
}
