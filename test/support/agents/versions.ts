/** Agents that stand in several versions side by side, on models that answer by what they are shown alone. */
import {
  createAgent,
  createSupervisor,
  type AgentDefinition,
  type AgentStatus,
  type SupervisorOptions,
  textOf,
} from 'troupe'
import { scriptedModel, type ScriptedModel } from 'troupe/testing'

export interface VersionConfig {
  readonly version?: string
  readonly status?: AgentStatus
}

/** Describes itself, and answers, as "<id> <version>". */
export function worker(id: string, config: VersionConfig = {}): AgentDefinition {
  const name = `${id} ${config.version ?? 'none'}`
  const model = scriptedModel([], { modelId: id, otherwise: name })
  return createAgent({ id, description: name, instructions: `I am ${name}.`, ...config, model })
}

/** Asks each of its subagents once, and answers "<id> <version>(<what those gave>)". */
export function boss(
  id: string,
  config: VersionConfig,
  agents: Readonly<Record<string, AgentDefinition>>,
): AgentDefinition<SupervisorOptions, undefined> & { readonly model: ScriptedModel } {
  const name = `${id} ${config.version ?? 'none'}`
  const model = scriptedModel([], {
    modelId: id,
    otherwise: ({ messages }) => {
      const given = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))
      if (given.length > 0) return `${name}(${given.join(', ')})`
      const toolCalls = Object.keys(agents).map((key) => ({
        name: `agent-${key}`,
        args: { prompt: 'Work.' },
      }))
      return { toolCalls }
    },
  })
  const made = createSupervisor({
    id,
    description: name,
    instructions: `I am ${name}.`,
    ...config,
    model,
    agents,
  })
  return Object.assign(made, { model })
}
