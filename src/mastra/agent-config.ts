/** The configuration of `new Agent`. */
import {
  ConfigurationError,
  type AgentDefinition,
  type AgentStatus,
  type InputProcessor,
  type OutputProcessor,
  type Tool,
  type ToolMap,
  type WorkflowMap,
} from '../index.ts'
import {
  aBoolean,
  aCount,
  aFunction,
  anObject,
  anything,
  type Fields,
  optional,
  recordOf,
} from '../kit/index.ts'
import { aName, positiveInteger, readOptions } from '../kit/index.ts'
import type { Agent } from './agent.ts'
import type { DynamicArgument } from './dynamic-argument.ts'
import type { Memory } from './memory.ts'
import type { MastraModelConfig } from './model.ts'
import type { StreamOptions } from './run-options.ts'
import type { Message } from '../index.ts'

/** Subagents by their keys; an agent of `troupe` may stand among them. */
export type AgentsOfRecord = Readonly<Record<string, Agent | AgentDefinition>>

/** The part of the conversation that subagents see. */
export interface SubAgentContextConfig {
  /** Default: `false`. */
  readonly includeConversationHistory?: boolean
  /** Default: `true`. */
  readonly filterInternalMessages?: boolean
  /** Default: 20. */
  readonly maxMessages?: number
  /** Keeps the messages for which it answers `true`. */
  readonly messageFilter?: (message: Message) => boolean
}

/** Which subagents and tools work in the background. */
export interface BackgroundTasksConfig {
  readonly tools?: Readonly<Record<string, { readonly enabled?: boolean; readonly timeoutMs?: number }>>
}

/** The configuration of `new Agent`. */
export interface AgentConfig {
  /** Default: the key of the record in which the agent stands, else its `name`. */
  readonly id?: string
  readonly name?: string
  /** Tells a supervisor when to delegate to the agent. Default: its instructions. */
  readonly description?: string
  readonly instructions?: DynamicArgument<string>
  /** Default: that of the supervisor in whose `agents` the agent stands. */
  readonly model?: DynamicArgument<MastraModelConfig>
  readonly agents?: DynamicArgument<AgentsOfRecord>
  readonly workflows?: DynamicArgument<WorkflowMap>
  readonly tools?: DynamicArgument<ToolMap>
  readonly memory?: DynamicArgument<Memory>
  /** Without it subagents see the whole conversation, without tool parts. */
  readonly subAgentContext?: SubAgentContextConfig
  /** The options of its runs, where a run has none of its own. */
  readonly defaultOptions?: StreamOptions
  readonly backgroundTasks?: BackgroundTasksConfig
  readonly inputProcessors?: readonly InputProcessor[]
  readonly outputProcessors?: readonly OutputProcessor[]
  /** Versions of one id stand side by side in a `Mastra`; `versions` of a run selects one. */
  readonly version?: string
  /** Default: `'published'`. */
  readonly status?: AgentStatus
}

const contextFields: Fields<SubAgentContextConfig> = {
  includeConversationHistory: optional(aBoolean),
  filterInternalMessages: optional(aBoolean),
  maxMessages: optional(positiveInteger),
  messageFilter: optional(aFunction),
}

const taskFields = { enabled: optional(aBoolean), timeoutMs: optional(aCount) }

const backgroundFields: Fields<BackgroundTasksConfig> = {
  tools: optional(recordOf(anObject(taskFields), 'an object by the keys of agents and tools')),
}

/** What is passed on is read by the library. */
const fields: Fields<AgentConfig> = {
  id: optional(aName),
  name: optional(aName),
  description: optional(aName),
  instructions: optional(anything),
  model: optional(anything),
  agents: optional(anything),
  workflows: optional(anything),
  tools: optional(anything),
  memory: optional(anything),
  subAgentContext: optional(anObject(contextFields)),
  defaultOptions: optional(anything),
  backgroundTasks: optional(anObject(backgroundFields)),
  inputProcessors: optional(anything),
  outputProcessors: optional(anything),
  version: optional(anything),
  status: optional(anything),
}

/** Throws a `ConfigurationError` for an unknown or wrong option. */
export function readAgentConfig(given: AgentConfig): AgentConfig {
  const config = readOptions<AgentConfig>(given, 'new Agent', fields)
  return config
}

/** A name for errors. */
export function nameOf({ id, name }: AgentConfig, key?: string): string {
  return `Agent ${JSON.stringify(id ?? key ?? name ?? '(without an id)')}`
}

/** The tools, with those in the background set so. Throws a `ConfigurationError` for a name that nothing has. */
export function toolsInBackground(
  tools: ToolMap,
  agents: readonly string[] | undefined,
  { tools: tasks = {} }: BackgroundTasksConfig,
  where: string,
): ToolMap {
  const unknown = Object.keys(tasks).find((name) => !(name in tools) && agents?.includes(name) === false)
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `${where}: backgroundTasks.tools names "${unknown}", which is neither in its agents nor in its tools.`,
    )
  }
  const changed = Object.entries(tools).map(([name, tool]): [string, Tool] => {
    const task = tasks[name]
    if (task === undefined) return [name, tool]
    const { enabled = true, timeoutMs = tool.timeout } = task
    return [name, { ...tool, background: enabled ? { concurrency: 10 } : undefined, timeout: timeoutMs }]
  })
  return Object.fromEntries(changed)
}
