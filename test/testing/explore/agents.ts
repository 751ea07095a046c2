/** Agents without a model server: an exploration gives the replies. */
import {
  createAgent,
  createSupervisor,
  createTool,
  type AgentConfig,
  type ChatModel,
  type SupervisorConfig,
  type ToolConfig,
} from 'troupe'
import { z } from 'zod'

export const model: ChatModel = {
  provider: 'explored',
  modelId: 'silent',
  generate: () => Promise.reject(new Error('An exploration calls no model.')),
}

const inputSchema = z.object({ q: z.string() })

/** A tool that takes `{ q }`; no exploration runs it. */
export function tool(id: string, more: Partial<ToolConfig<typeof inputSchema, unknown>> = {}) {
  const execute = (): never => {
    throw new Error('An exploration runs no tool.')
  }
  return createTool({ id, description: `Does ${id}.`, inputSchema, execute, ...more })
}

export function worker(id: string, more: Partial<AgentConfig> = {}) {
  return createAgent({ id, description: `Does ${id} work.`, instructions: `I am ${id}.`, ...more, model })
}

export function lead(agents: SupervisorConfig['agents'], more: Partial<SupervisorConfig> = {}) {
  return createSupervisor({
    id: 'lead',
    description: 'Leads.',
    instructions: 'I lead.',
    agents,
    ...more,
    model,
  })
}
