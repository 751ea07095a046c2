/** OpenAI Agents: a `Runner` with a model of its own interface; a delegation is `agent.asTool`. Tracing is off. */
import { Agent, Runner, Usage, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'

/** Its names of tools have no hyphens. */
const delegationTool = 'agent_helper'

setTracingDisabled(true)

export function create(job, kit) {
  const runner = new Runner({ tracingDisabled: true })
  const agent = agentOf('Lead', job, kit)
  return async () => {
    const { finalOutput } = await runner.run(agent, job.task, { maxTurns: kit.repliesOf(job.script) })
    return finalOutput
  }
}

function agentOf(name, { instructions, script, helper }, kit) {
  const tools =
    helper === undefined
      ? [
          tool({
            name: 'add',
            description: kit.addDescription,
            parameters: z.object({ a: z.number(), b: z.number() }),
            execute: kit.add,
          }),
        ]
      : [delegation(helper, kit)]
  return new Agent({ name, instructions, model: modelOf(script, kit), tools })
}

function delegation(helper, kit) {
  return agentOf('Helper', helper, kit).asTool({
    toolName: delegationTool,
    toolDescription: kit.helperDescription,
  })
}

function modelOf(script, kit) {
  return {
    async getResponse({ input }) {
      const { text, calls } = kit.replyTo(idsOf(input), script)
      const output =
        calls.length > 0
          ? calls.map(({ id, name, args }) => ({
              type: 'function_call',
              callId: id,
              name: name === 'add' ? name : delegationTool,
              status: 'completed',
              arguments: JSON.stringify(name === 'add' ? args : { input: args.prompt }),
            }))
          : [
              {
                type: 'message',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text }],
              },
            ]
      return { usage: new Usage({ inputTokens: 40, outputTokens: 10, totalTokens: 50 }), output }
    },
    getStreamedResponse() {
      throw new Error('No contestant streams.')
    },
  }
}

function idsOf(input) {
  const ids = []
  for (let index = input.length - 1; input[index]?.type === 'function_call_result'; index--)
    ids.push(input[index].callId)
  return ids
}
