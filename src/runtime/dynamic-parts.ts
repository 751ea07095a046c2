/** Parts of an agent that may be functions of the run: asked once a run, with its context. */
import type { ChatModel } from '../actors/chat-model.ts'
import { TerminalError } from '../errors.ts'
import type { DynamicPart } from '../machines/agent.ts'
import type { Parts } from './definition.ts'

/** What a function of the run is given. */
export interface RunContext<Context> {
  /** As the `contextSchema` of the agent has it; without one it is JSON, if the run was given any. */
  readonly context: Context
  readonly runId: string
}

export type Dynamic<Value, Context> = Value | ((run: RunContext<Context>) => Value | Promise<Value>)

export type DynamicParts = { readonly [Part in DynamicPart]: Dynamic<Parts[Part], unknown> }

const partNames = [
  'instructions',
  'model',
  'tools',
  'workflows',
  'agents',
] as const satisfies readonly DynamicPart[]

export function dynamicPartsOf(parts: DynamicParts): DynamicPart[] {
  return partNames.filter((name) => isFunction(parts[name]))
}

/** What stands in the place of a model that is chosen for each run. */
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
    agents: isFunction(agents) ? {} : agents,
  }
}

/** Rejects with what a function throws. */
export async function partsOfRun(parts: DynamicParts, run: RunContext<unknown>): Promise<Parts> {
  const [instructions, model, tools, workflows, agents] = await Promise.all([
    ofRun(parts.instructions, run),
    ofRun(parts.model, run),
    ofRun(parts.tools, run),
    ofRun(parts.workflows, run),
    ofRun(parts.agents, run),
  ])
  return { instructions, model, tools, workflows, agents }
}

async function ofRun<Value>(part: Dynamic<Value, unknown>, run: RunContext<unknown>): Promise<Value> {
  return isFunction(part) ? part(run) : part
}

function isFunction<Value>(
  part: Dynamic<Value, unknown>,
): part is (run: RunContext<unknown>) => Value | Promise<Value> {
  return typeof part === 'function'
}
