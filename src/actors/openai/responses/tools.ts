/** The tools of a request, and the choice that the model has, as the Responses API expects them. */
import type { OpenAI } from 'openai'
import type { ModelRequest, ToolChoice, ToolDescription } from '../../chat-model.ts'

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming

/** Empty for a request without tools: servers refuse a choice among none. */
export function toChoiceParam({ tools, toolChoice }: ModelRequest): Pick<Params, 'tool_choice'> {
  if (tools.length === 0) return {}
  const choice = toChoice(toolChoice)
  return choice === undefined ? {} : { tool_choice: choice }
}

/** `undefined`: the default of the API, in which the model has the choice. */
function toChoice(choice: ToolChoice): Params['tool_choice'] {
  if (typeof choice === 'object') return { type: 'function', name: choice.tool }
  return choice === 'auto' ? undefined : choice
}

/** Strict is the default of this API, and refuses most schemas: a tool that is not strict says so. */
export function toTool({
  name,
  description,
  parameters,
  strict,
}: ToolDescription): OpenAI.Responses.FunctionTool {
  return { type: 'function', name, description, parameters, strict: strict === true }
}
