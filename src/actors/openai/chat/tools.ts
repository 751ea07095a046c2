/** The tools of a request, and the choice that the model has, as Chat Completions expects them. */
import type { OpenAI } from 'openai'
import type { ModelRequest, ToolChoice, ToolDescription } from '../../chat-model.ts'

type Params = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming

/** Empty for a request without tools: servers refuse a choice among none. */
export function toChoiceParam({ tools, toolChoice }: ModelRequest): Pick<Params, 'tool_choice'> {
  if (tools.length === 0) return {}
  const choice = toChoice(toolChoice)
  return choice === undefined ? {} : { tool_choice: choice }
}

/** `undefined`: the default of the API, in which the model has the choice. */
function toChoice(choice: ToolChoice): OpenAI.Chat.ChatCompletionToolChoiceOption | undefined {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.tool } }
  return choice === 'auto' ? undefined : choice
}

export function toTool(tool: ToolDescription): OpenAI.Chat.ChatCompletionFunctionTool {
  const { name, description, parameters, strict } = tool
  const held = strict === undefined ? {} : { strict }
  return { type: 'function', function: { name, description, parameters, ...held } }
}
