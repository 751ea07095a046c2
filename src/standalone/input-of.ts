/** The input of the chart of an agent, as a run would make it. */
import type { Prompt } from '../actors/message.ts'
import { show } from '../actors/strict/read-options.ts'
import { isRecord } from '../actors/values/json.ts'
import { ConfigurationError } from '../errors.ts'
import type { AgentInput } from '../machines/contract/agent.ts'
import { asDefinition, type AnyAgent } from '../runtime/definition/definition.ts'
import { createRegistry, lookUp } from '../runtime/definition/registry.ts'
import { createRun } from '../runtime/run/create-run.ts'
import { prepareAgent, rootRequest } from '../runtime/state/prepare.ts'
import type { ToolResults } from '../machines/contract/records.ts'

/**
 * Returns the input of the machine of `agent` for this prompt: its profile, without functions, and the opening messages.
 * `options` are those of a run; the id of the run is `'run'` unless they name one. No model is called.
 * Throws a `ConfigurationError` for an empty prompt or a wrong option.
 */
export function inputOf<
  Options extends object,
  Object,
  Args extends readonly unknown[],
  Results extends ToolResults,
>(agent: AnyAgent<Options, Object, Args, Results>, prompt: Prompt, ...options: Args): AgentInput
export function inputOf(agent: AnyAgent, prompt: Prompt, options: object = {}): AgentInput {
  if (!isAgent(agent))
    throw new ConfigurationError(
      `inputOf takes an agent that a create… function has made, not ${show(agent)}.`,
    )
  const root = asDefinition(agent)
  const { started, registry } = createRun(root, prompt, options, false, {
    registry: createRegistry([root]),
    selectors: {},
    now: 0,
    newId: () => 'run',
    hasBlobs: true,
    hasMemory: true,
  })
  return prepareAgent(lookUp(registry, root.id), rootRequest(started), started.settings).input
}

/** Types do not see every caller. */
function isAgent(given: unknown): boolean {
  return isRecord(given) && typeof given['chart'] === 'function'
}
