/** The alphabets of agents and tools for which none is given, derived from their definitions. */
import type { ToolDescription } from '../../../actors/chat-model.ts'
import { delegationPrefix } from '../../../actors/toolset.ts'
import { toJsonSchema } from '../../../actors/schemas/to-json-schema.ts'
import type { Tool } from '../../../actors/tool.ts'
import { samplesOf } from './json-sample.ts'
import {
  answers,
  calls,
  decides,
  fails,
  returns,
  throws,
  type ModelSaying,
  type ToolSaying,
} from './sayings.ts'
import type { SayRequest } from './say-request.ts'

/**
 * An answer; each tool, subagent and handoff on offer by itself; all subagents together; a failure where failures are
 * explored. A request with a response format gets one value for each choice that its schema names.
 */
export function derivedSayings(request: SayRequest, failures: boolean): readonly ModelSaying[] {
  const { agent, tools, responseFormat } = request
  const failing = failures ? [fails()] : []
  if (responseFormat !== undefined) {
    const { name, schema } = responseFormat
    return [...samplesOf(schema).map((value) => decides(name, value)), ...failing]
  }
  const subagents = tools.filter(({ name }) => name.startsWith(delegationPrefix))
  return [
    answers(`The answer of ${agent}.`),
    ...tools.map((tool) => callOf(tool)),
    ...(subagents.length > 1 ? [calls(...subagents.map(argsByName))] : []),
    ...failing,
  ]
}

function callOf(tool: ToolDescription): ModelSaying {
  return calls(argsByName(tool))
}

function argsByName({ name, parameters }: ToolDescription) {
  const [args = {}] = samplesOf(parameters)
  return { [name]: args }
}

/** A value that fits the output schema, if there is one; a failure where failures are explored. */
export function derivedOutcomes(tool: Tool | undefined, failures: boolean): readonly ToolSaying[] {
  const schema = tool?.outputSchema
  const [value = 'done'] = schema === undefined ? [] : samplesOf(toJsonSchema(schema, 'output'))
  return [returns(value), ...(failures ? [throws('TOOL_FAILED')] : [])]
}
