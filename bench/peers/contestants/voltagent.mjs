/** VoltAgent: an `Agent`; a delegation is its own tool `delegate_task`, one call for each. Logs and memory are off. */
import { Agent, createTool } from '@voltagent/core'
import { z } from 'zod'
import { scriptedModel } from './ai-sdk-model.mjs'

const silent = () => {}

// Its AI SDK warns at each model call of the system message that VoltAgent sends; to print that would cost CPU.
console.warn = silent

const logger = {
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
  child: () => logger,
}

export function create(job, kit) {
  const agent = agentOf('Lead', job, kit)
  return async () => (await agent.generateText(job.task)).text
}

function agentOf(name, { instructions, script, helper }, kit) {
  const model = scriptedModel(script, kit, { specificationVersion: 'v3', renamed })
  const maxSteps = kit.repliesOf(script)
  const common = { name, instructions, model, maxSteps, maxRetries: 0, memory: false, logger }
  if (helper !== undefined) {
    const agent = agentOf('Helper', helper, kit)
    return new Agent({ ...common, subAgents: [{ agent, method: 'generateText' }] })
  }
  const parameters = z.object({ a: z.number(), b: z.number() })
  const add = createTool({ name: 'add', description: kit.addDescription, parameters, execute: kit.add })
  return new Agent({ ...common, tools: [add] })
}

function renamed({ id, name, args }) {
  if (name === 'add') return { id, name, args }
  return { id, name: 'delegate_task', args: { task: args.prompt, targetAgents: ['Helper'] } }
}
