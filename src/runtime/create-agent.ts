/** `createAgent` and `createSupervisor`: definitions of the two patterns with a think-act loop. */
import type { ChatModel } from '../actors/chat-model.ts'
import type { Prompt } from '../actors/message.ts'
import type { InferOutput, Schema } from '../actors/schema.ts'
import { assertId, type Tool } from '../actors/tool.ts'
import { delegationPrefix, Toolset } from '../actors/toolset.ts'
import type { Workflow } from '../actors/workflow.ts'
import { ConfigurationError } from '../errors.ts'
import type { AgentDefinition, Pattern, Shaped } from './definition.ts'
import { assertNoClash } from './memory-options.ts'
import type { AgentOptions, SupervisorOptions } from './options.ts'
import { settingsOf } from './settings.ts'
import { generateAlone, streamAlone } from './troupe.ts'
import { assertBackground, validateOptions } from './validate-options.ts'

interface Identity {
  /** A letter, then at most 54 letters, digits, "_" or "-". Unique in a troupe. */
  readonly id: string
  /** Tells a supervisor what the agent does, what it returns and when to use it. */
  readonly description?: string
  /** The system prompt. */
  readonly instructions: string
  readonly model: ChatModel
  /** By the names that the model sees. */
  readonly tools?: Readonly<Record<string, Tool>>
  /** XState logic of yours, by the names that the model sees. */
  readonly workflows?: Readonly<Record<string, Workflow>>
}

/** Options of a definition whose answers have the shape of `Given`. */
type ShapedOptions<Options, Given extends Schema> = Omit<Options, 'structuredOutput'> & Partial<Shaped<Given>>

/** Where no shape is asked for, an answer has no object. */
type NoShape = Schema<unknown, undefined>

export type AgentConfig<Given extends Schema = Schema> = Identity & ShapedOptions<AgentOptions, Given>

/** `Key`: the keys of `agents`, which its delegation hooks tell apart. */
export type SupervisorConfig<Given extends Schema = Schema, Key extends string = string> = Identity &
  ShapedOptions<SupervisorOptions<NoInfer<Key>>, Given> & {
    /** Subagents; the model sees each as the tool `agent-<key>`. */
    readonly agents?: Readonly<Record<Key, AgentDefinition>>
  }

/**
 * Defines an agent that thinks and acts with tools until it has an answer.
 * Throws a `ConfigurationError` that says what is wrong, and where.
 */
export function createAgent<Given extends Schema = NoShape>(
  config: AgentConfig<Given>,
): AgentDefinition<AgentOptions, InferOutput<Given>> {
  const where = `createAgent(${JSON.stringify(config?.id)})`
  validateOptions(config, where, ['agent'], identityNames)
  return define('react', where, config, {})
}

/**
 * Defines an agent that delegates to other agents; it may have tools of its own too.
 * Throws a `ConfigurationError` that says what is wrong, and where.
 */
export function createSupervisor<Given extends Schema = NoShape, Key extends string = string>(
  config: SupervisorConfig<Given, Key>,
): AgentDefinition<SupervisorOptions<Key>, InferOutput<Given>>
export function createSupervisor(config: SupervisorConfig): AgentDefinition {
  const where = `createSupervisor(${JSON.stringify(config?.id)})`
  validateOptions(config, where, ['agent', 'supervisor'], [...identityNames, 'agents'])
  return define('supervisor', where, config, config.agents ?? {})
}

const identityNames = ['id', 'description', 'instructions', 'model', 'tools', 'workflows']

function define(
  pattern: Pattern,
  where: string,
  config: Identity & SupervisorOptions,
  agents: Readonly<Record<string, AgentDefinition>>,
): AgentDefinition {
  const { id, description = '', instructions, model, tools: ownTools = {}, workflows = {}, ...rest } = config
  const { agents: _agents, ...options } = rest as SupervisorConfig
  assertId(id, where)
  if (typeof instructions !== 'string') throw new ConfigurationError(`${where}: instructions must be a text.`)
  checkModel(model, where)
  checkTools(ownTools, 'tool', where)
  checkTools(workflows, 'workflow', where)
  const twice = Object.keys(workflows).find((name) => Object.hasOwn(ownTools, name))
  if (twice !== undefined) {
    throw new ConfigurationError(`${where}: a tool and a workflow are both named "${twice}".`)
  }
  const tools = { ...ownTools, ...workflows }
  checkAgents(agents, where)
  assertBackground(options.backgroundTasks, agents, where)
  const subagents = Object.fromEntries(
    Object.entries(agents).map(([key, agent]) => [key, { id: agent.id, description: agent.description }]),
  )
  const settings = settingsOf(options)
  assertNoClash(settings.memory, tools, where)
  const definition: AgentDefinition = {
    id,
    description,
    pattern,
    instructions,
    model,
    tools,
    agents: { ...agents },
    toolset: new Toolset(tools, subagents),
    options,
    settings,
    generate: (prompt: Prompt, callOptions?: object) => generateAlone(definition, prompt, callOptions),
    stream: (prompt: Prompt, callOptions?: object) => streamAlone(definition, prompt, callOptions),
  }
  return definition
}

function checkModel(model: unknown, where: string): void {
  const candidate = model as Partial<ChatModel> | undefined
  if (
    typeof candidate?.generate !== 'function' ||
    typeof candidate.provider !== 'string' ||
    typeof candidate.modelId !== 'string'
  ) {
    throw new ConfigurationError(
      `${where}: model must be a ChatModel ({ provider, modelId, generate }), for example openai('gpt-5-mini').`,
    )
  }
}

/** What a model may be shown as the name of a function. */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/

function checkTools(tools: unknown, kind: 'tool' | 'workflow', where: string): void {
  if (typeof tools !== 'object' || tools === null)
    throw new ConfigurationError(`${where}: ${kind}s must be an object.`)
  for (const [name, tool] of Object.entries(tools) as [string, Partial<Tool> | undefined][]) {
    if (!namePattern.test(name) || name.startsWith(delegationPrefix)) {
      throw new ConfigurationError(
        `${where}: the ${kind} name "${name}" is not allowed. Expected 1 to 64 letters, digits, "_" or "-", not beginning with "${delegationPrefix}".`,
      )
    }
    if (typeof tool?.execute !== 'function' || tool.parameters === undefined) {
      throw new ConfigurationError(
        `${where}: the ${kind} "${name}" must come from ${kind === 'tool' ? 'createTool' : 'createWorkflow'}().`,
      )
    }
  }
}

function checkAgents(agents: unknown, where: string): void {
  if (typeof agents !== 'object' || agents === null) {
    throw new ConfigurationError(`${where}: agents must be an object of agents by name.`)
  }
  for (const [key, agent] of Object.entries(agents) as [string, Partial<AgentDefinition> | undefined][]) {
    if (!namePattern.test(delegationPrefix + key)) {
      throw new ConfigurationError(
        `${where}: the agent name "${key}" is not allowed. Expected 1 to 58 letters, digits, "_" or "-".`,
      )
    }
    if (agent?.toolset === undefined || typeof agent.id !== 'string') {
      throw new ConfigurationError(
        `${where}: the agent "${key}" must come from createAgent() or another create function.`,
      )
    }
    if (agent.description === undefined || agent.description.trim() === '') {
      throw new ConfigurationError(
        `${where}: the agent "${key}" has no description; a supervisor chooses its subagents by it.`,
      )
    }
  }
}
