/** The configuration of `new Agent`. */
import {
  ConfigurationError,
  type AgentStatus,
  type InputProcessor,
  type Message,
  type OutputProcessor,
  type SupervisorOptions,
  type Tool,
  type ToolMap,
  type WorkflowMap,
} from '../index.ts'
import {
  aBoolean,
  aCount,
  aFunction,
  aName,
  anObject,
  anything,
  isObject,
  type Fields,
  optional,
  positiveInteger,
  readOptions,
  recordOf,
} from '../kit/index.ts'
import type { DynamicArgument } from './dynamic-argument.ts'
import type { Memory } from './memory.ts'
import type { MastraModelConfig } from './model.ts'
import type { AgentsOfRecord } from './registration.ts'
import type { StreamOptions } from './run-options.ts'

/** The part of the conversation that subagents see. */
export interface SubAgentContextConfig {
  /** Subagents see the conversation so far. Default: `false`. */
  readonly includeConversationHistory?: boolean
  /** Keeps feedback of hooks from them. Default: `true`. */
  readonly filterInternalMessages?: boolean
  /** The most messages that they see. Default: 20. */
  readonly maxMessages?: number
  /** Keeps the messages for which it answers `true`. Default: all. */
  readonly messageFilter?: (message: Message) => boolean
}

/** Which subagents and tools work in the background. */
export interface BackgroundTasksConfig {
  /** By the keys of `agents` and `tools`: `enabled` (`true`), and `timeoutMs`. Default: none. */
  readonly tools?: Readonly<Record<string, { readonly enabled?: boolean; readonly timeoutMs?: number }>>
}

/** The configuration of `new Agent`. */
export interface AgentConfig {
  /** Unique among agents. Default: the key of the record in which the agent stands, else its `name`. */
  readonly id?: string
  /** A name for people, and the id where there is no other. */
  readonly name?: string
  /** Tells a supervisor when to delegate to the agent. Default: its instructions. */
  readonly description?: string
  /** The system prompt. As the other parts, it may be a function of the run. Default: none. */
  readonly instructions?: DynamicArgument<string>
  /** The model of the agent. Default: that of the supervisor in whose `agents` the agent stands. */
  readonly model?: DynamicArgument<MastraModelConfig>
  /** Subagents; the model sees each as the tool `agent-<key>`. Those of a function must be in the `Mastra`. Default: none. */
  readonly agents?: DynamicArgument<AgentsOfRecord>
  /** Workflows of `troupe`, by the names that the model sees. Default: none. */
  readonly workflows?: DynamicArgument<WorkflowMap>
  /** Tools, by the names that the model sees. Default: none. */
  readonly tools?: DynamicArgument<ToolMap>
  /** What the agent remembers. Default: nothing. */
  readonly memory?: DynamicArgument<Memory>
  /** What subagents see of the conversation. Default: all of it, without tool parts. */
  readonly subAgentContext?: SubAgentContextConfig
  /** The options of its runs, where a run has none of its own. Default: none. */
  readonly defaultOptions?: StreamOptions
  /** The subagents and tools that work in the background. Default: none. */
  readonly backgroundTasks?: BackgroundTasksConfig
  /** Process the messages before the model reads them. Default: none. */
  readonly inputProcessors?: readonly InputProcessor[]
  /** Process each reply of the model. Default: none. */
  readonly outputProcessors?: readonly OutputProcessor[]
  /** Versions of one id stand side by side in a `Mastra`; `versions` of a run selects one. Default: none. */
  readonly version?: string
  /** A draft is taken only when `versions` asks for it. Default: `'published'`. */
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
  return readOptions<AgentConfig>(given, 'new Agent', fields)
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
  if (!isObject(tools)) return tools // refused by the library
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

/** `backgroundTasks` by the keys of subagents, as this library takes them, and by the names of tools. */
export function backgroundOf(
  { tools = {} }: BackgroundTasksConfig,
  agents: readonly string[],
): Pick<SupervisorOptions, 'backgroundTasks'> {
  const tasks = Object.entries(tools).filter(([name]) => agents.includes(name))
  return tasks.length === 0 ? {} : { backgroundTasks: Object.fromEntries(tasks) }
}
