/**
 * Our conversation and tools as the body of a Responses request. The run owns its history: nothing is stored at the
 * server and nothing there is referred to, so items go without the ids that the server once gave them.
 */
import type { OpenAI } from 'openai'
import type { ModelRequest, ToolChoice, ToolDescription } from '../../chat-model.ts'
import type { AssistantMessage, Message, ToolCall } from '../../message.ts'
import { textOf, type FilePart, type Content } from '../../content/content.ts'
import { withFilesAfter } from '../../messages/files-after.ts'
import type { JsonValue } from '../../values/json.ts'
import type { MessageTexts } from '../shared/body-text.ts'
import type { OpenAISettings } from '../shared/options.ts'
import type { Quirks } from '../shared/quirks.ts'
import { replayer, type Replayed } from '../shared/replay.ts'
import { reasoningBefore } from './kept-reasoning.ts'
import {
  namedSchema,
  parametersOf,
  fileNameOf,
  kindOf,
  urlOf,
  type ServerTraits,
} from '../shared/request-parts.ts'
import { notAccepted, sendable } from '../../messages/accepted-types.ts'

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming

/** A message of the model: as OpenAI's own type, without id and status, as llama.cpp requires. */
interface AssistantItem {
  readonly type: 'message'
  readonly role: 'assistant'
  readonly content: readonly [{ readonly type: 'output_text'; readonly text: string }]
}

/** Encrypted reasoning, as the server sent it. */
type ReasoningItem = Readonly<Record<string, JsonValue>>

export type InputItem =
  | ReasoningItem
  | OpenAI.Responses.EasyInputMessage
  | AssistantItem
  | OpenAI.Responses.ResponseFunctionToolCall
  | OpenAI.Responses.ResponseInputItem.FunctionCallOutput

export interface ResponseParams extends Omit<Params, 'input' | 'stream'> {
  readonly input: readonly InputItem[]
}

export function toParams(
  modelId: string,
  request: ModelRequest,
  settings: OpenAISettings,
  server: ServerTraits,
): ResponseParams {
  const replay = replayer(request.tools)
  const input = inputMessages(request).flatMap((message) => toItems(message, replay, server.quirks))
  return { ...toFrame(modelId, request, settings, server), ...toolsParam(request, server), input }
}

/** The input of the body as JSON. */
export function inputText(request: ModelRequest, quirks: Quirks, texts: MessageTexts): string {
  const replay = replayer(request.tools)
  return texts.list(inputMessages(request), quirks, (message) =>
    toItems(message, replay, quirks)
      .map((item) => JSON.stringify(item))
      .join(','),
  )
}

/** The messages of the input: all but the instructions, which have a field of their own. */
function inputMessages({ messages }: ModelRequest): readonly Message[] {
  return withFilesAfter(messages[0]?.role === 'system' ? messages.slice(1) : messages, isOfTool)
}

/** Empty for a request without tools: servers refuse an empty list. */
function toolsParam({ tools }: ModelRequest, server: ServerTraits): Pick<ResponseParams, 'tools'> {
  return tools.length === 0 ? {} : { tools: tools.map((tool) => toTool(tool, server)) }
}

/** Empty for a request without tools: servers refuse a choice among none. */
function toChoiceParam({ tools, toolChoice }: ModelRequest): Pick<Params, 'tool_choice'> {
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
export function toTool(tool: ToolDescription, server: ServerTraits): OpenAI.Responses.FunctionTool {
  const { name, description } = tool
  const { parameters, strict = false } = parametersOf(tool, server)
  return { type: 'function', name, description, parameters, strict }
}

/** The body without its input and tools. */
export function toFrame(
  modelId: string,
  request: ModelRequest,
  settings: OpenAISettings,
  server: ServerTraits,
): Omit<ResponseParams, 'input' | 'tools'> {
  const { tools, messages, responseFormat } = request
  const { quirks } = server
  const [first] = messages
  const instructions = first?.role === 'system' ? first.content : undefined
  return Object.assign({}, toSettings(settings, tools.length > 0), settings.extraBody, {
    model: modelId,
    store: false,
    ...(quirks.has('lacks-encrypted-reasoning') ? {} : { include: includedBy(settings) }),
    ...(instructions === undefined ? {} : { instructions }),
    ...toChoiceParam(request),
    ...(responseFormat &&
      !quirks.has('lacks-formats') && {
        text: { format: { type: 'json_schema' as const, ...namedSchema(responseFormat, server) } },
      }),
  })
}

/** Encrypted reasoning, besides the parts of the reply that the user asks for. */
function includedBy({ extraBody = {} }: OpenAISettings): OpenAI.Responses.ResponseIncludable[] {
  const { include } = extraBody
  const asked = Array.isArray(include) ? (include as OpenAI.Responses.ResponseIncludable[]) : []
  return [...new Set([...asked, 'reasoning.encrypted_content' as const])]
}

/* oxlint-disable typescript/no-deprecated -- `user` is what other servers know */
function toSettings(settings: OpenAISettings, hasTools: boolean): Partial<Params> {
  const { reasoningEffort: effort, reasoningSummary: summary } = settings
  const reasons = effort !== undefined || summary !== undefined
  return {
    temperature: settings.temperature,
    top_p: settings.topP,
    max_output_tokens: settings.maxOutputTokens,
    ...(reasons ? { reasoning: { effort, summary } } : {}),
    ...(hasTools ? { parallel_tool_calls: settings.parallelToolCalls } : {}),
    user: settings.user,
  }
}
/* oxlint-enable typescript/no-deprecated */

/** The result of a call has files of its own; those of a message of the model follow it. */
function isOfTool(_file: FilePart, { role }: Message): boolean {
  return role === 'tool'
}

/** An empty text of the model is not sent. */
function toItems(
  message: Message,
  replay: (call: ToolCall) => Replayed,
  quirks: Quirks,
): readonly InputItem[] {
  const kept = ({ providerData }: AssistantMessage, place: 'text' | number): readonly ReasoningItem[] =>
    quirks.has('refuses-kept-fields') ? [] : reasoningBefore(providerData, place)
  switch (message.role) {
    case 'system':
      return [{ type: 'message', role: 'system', content: message.content }]
    case 'user':
      return [{ type: 'message', role: 'user', content: toInput(message.content) }]
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId, output: toInput(message.content) }]
    case 'assistant': {
      const text = textOf(message.content)
      return [
        ...(text === '' ? [] : [...kept(message, 'text'), toAssistantItem(text)]),
        ...(message.toolCalls ?? []).flatMap((call, index) => [
          ...kept(message, index),
          toCallItem(call.id, replay(call)),
        ]),
      ]
    }
  }
}

type InputPart = OpenAI.Responses.ResponseInputContent

const api = 'The Responses API'

/** Throws a `TerminalError` for a file that the API cannot carry. An empty text is not sent beside other parts. */
function toInput(content: Content): string | InputPart[] {
  if (typeof content === 'string') return content
  const parts = content.flatMap((part): InputPart[] => {
    if (part.type === 'file') return [toFilePart(part)]
    return part.text === '' ? [] : [{ type: 'input_text', text: part.text }]
  })
  return parts.length === 0 ? '' : parts
}

function toFilePart(given: FilePart): InputPart {
  const file = sendable(given, api)
  switch (kindOf(file)) {
    case 'image':
      return { type: 'input_image', image_url: urlOf(file), detail: 'auto' }
    case 'document':
      return 'url' in file
        ? { type: 'input_file', file_url: file.url }
        : { type: 'input_file', filename: fileNameOf(file), file_data: urlOf(file) }
    case 'audio':
    case 'video':
      throw notAccepted(file, api)
  }
}

function toAssistantItem(text: string): AssistantItem {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
}

function toCallItem(id: string, { name, args }: Replayed): OpenAI.Responses.ResponseFunctionToolCall {
  return { type: 'function_call', call_id: id, name, arguments: args }
}
