/** Parts of an agent that may be functions of the run: called once a run, with its context. */
import type { ChatModel } from '../../actors/chat-model.ts'
import { isRecord } from '../../actors/values/json.ts'
import type { Tool } from '../../actors/tool.ts'
import type { Workflow } from '../../actors/workflow.ts'
import { TerminalError } from '../../errors.ts'
import type { DynamicPart } from '../../machines/contract/profile.ts'
import type { MemoryOptions } from '../options/options.ts'
import type { AgentDefinition, Parts, RunContext } from './definition.ts'

/** A value, or a function of the run that makes it. */
export type Dynamic<Value, Context> = Value | ((run: RunContext<Context>) => Value | Promise<Value>)

/** As `Dynamic`, for values by their names; a function may leave out those that this run is not to have. */
export type DynamicRecord<Names extends string, Value, Context> =
  Readonly<Record<Names, Value>> | RecordOfRun<Names, Value, Context>

/**
 * Agents by their keys, or as a list, where the key of each is its id; or a function of the run that makes either. Those of
 * a list are not known to types by their keys.
 */
export type DynamicAgents<Key extends string, Context> =
  | Readonly<Record<Key, AgentDefinition>>
  | readonly AgentDefinition[]
  | ((
      run: RunContext<Context>,
    ) =>
      | Some<Key, AgentDefinition>
      | readonly AgentDefinition[]
      | Promise<Some<Key, AgentDefinition> | readonly AgentDefinition[]>)

/** A function of the run that makes values by their names. */
export type RecordOfRun<Names extends string, Value, Context> = (
  run: RunContext<Context>,
) => Some<Names, Value> | Promise<Some<Names, Value>>

export type Some<Names extends string, Value> = { readonly [Name in Names]?: Value | undefined }

export interface DynamicParts {
  readonly instructions: Dynamic<string, unknown>
  readonly model: Dynamic<ChatModel | readonly ChatModel[], unknown>
  readonly tools: DynamicRecord<string, Tool, unknown>
  readonly workflows: DynamicRecord<string, Workflow, unknown>
  readonly agents: DynamicAgents<string, unknown>
  readonly memory: Dynamic<boolean | MemoryOptions, unknown> | undefined
}

const partNames = [
  'instructions',
  'model',
  'tools',
  'workflows',
  'agents',
  'memory',
] as const satisfies readonly DynamicPart[]

export function dynamicPartsOf(parts: DynamicParts): DynamicPart[] {
  return partNames.filter((name) => typeof parts[name] === 'function')
}

/** The placeholder for a model that is chosen for each run. */
const blankModel: ChatModel = {
  provider: 'dynamic',
  modelId: 'dynamic',
  generate: () =>
    Promise.reject(
      new TerminalError('The model of this agent is chosen for each run.', { code: 'NOT_CONFIGURED' }),
    ),
}

/** The parts that need no run; the others are blank. */
export function fixedPartsOf({ instructions, model, tools, workflows, agents }: DynamicParts): Parts {
  return {
    instructions: isFunction(instructions) ? '' : instructions,
    model: isFunction(model) ? blankModel : model,
    tools: isFunction(tools) ? {} : tools,
    workflows: isFunction(workflows) ? {} : workflows,
    agents: isFunction(agents) ? {} : (agents as Parts['agents']),
  }
}

/** Rejects with the error that a function throws. */
export async function partsOfRun(parts: DynamicParts, run: RunContext<unknown>): Promise<Parts> {
  const [instructions, model, tools, workflows, agents, memory] = await Promise.all([
    ofRun(parts.instructions, run),
    ofRun(parts.model, run),
    ofRun(parts.tools, run),
    ofRun(parts.workflows, run),
    ofRun(parts.agents, run),
    isFunction(parts.memory) ? parts.memory(run) : undefined,
  ])
  return {
    instructions,
    model,
    tools: present(tools),
    workflows: present(workflows),
    agents: present(agents as Parts['agents']),
    ...(memory === undefined ? {} : { memory }),
  }
}

type OfRun<Value> = (run: RunContext<unknown>) => Value | Promise<Value>

async function ofRun<Value>(part: Value | OfRun<Value>, run: RunContext<unknown>): Promise<Value> {
  return isFunction(part) ? part(run) : part
}

/** Without undefined values. A value that is no record is refused later, by a message that says so. */
function present<Value>(record: Some<string, Value>): Readonly<Record<string, Value>> {
  if (!isRecord(record)) return record
  const entries = Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

function isFunction<Value>(part: Value | OfRun<Value>): part is OfRun<Value> {
  return typeof part === 'function'
}
