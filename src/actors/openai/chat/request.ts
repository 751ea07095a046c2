/**
 * Our conversation and tools as the body of a Chat Completions request: one message for each of ours, in order. Files
 * come from the user alone: those of other messages follow them.
 */
import type { OpenAI } from 'openai'
import type { ModelRequest, ToolChoice, ToolDescription } from '../../chat-model.ts'
import type { Message, ToolCall, AssistantMessage } from '../../message.ts'
import { textOf, type Content, type FileData, type FilePart } from '../../content/content.ts'
import { withFilesAfter } from '../../messages/files-after.ts'
import type { MessageTexts } from '../shared/body-text.ts'
import type { OpenAISettings } from '../shared/options.ts'
import type { Quirks } from '../shared/quirks.ts'
import { replayer, type Replayed } from '../shared/replay.ts'
import {
  namedSchema,
  parametersOf,
  fileNameOf,
  kindOf,
  urlOf,
  type ServerTraits,
} from '../shared/request-parts.ts'
import { notAccepted, sendable } from '../../messages/accepted-types.ts'
import { isRecord, type JsonValue } from '../../values/json.ts'
import { asWritten } from '../../text/thoughts.ts'
import { readMessageData } from './kept-fields.ts'

type Params = OpenAI.Chat.ChatCompletionCreateParamsNonStreaming

export function toParams(
  modelId: string,
  request: ModelRequest,
  settings: OpenAISettings,
  server: ServerTraits,
): Params {
  const replay = replayer(request.tools)
  const messages = withFilesAfter(request.messages).map((message) =>
    toMessage(message, replay, server.quirks),
  )
  return { ...toFrame(modelId, request, settings, server), ...toolsParam(request, server), messages }
}

/** The messages of the body as JSON. */
export function messagesText({ messages, tools }: ModelRequest, quirks: Quirks, texts: MessageTexts): string {
  const replay = replayer(tools)
  return texts.list(withFilesAfter(messages), quirks, (message) =>
    JSON.stringify(toMessage(message, replay, quirks)),
  )
}

/** Empty for a request without tools: servers refuse an empty list. */
function toolsParam({ tools }: ModelRequest, server: ServerTraits): Pick<Params, 'tools'> {
  return tools.length === 0 ? {} : { tools: tools.map((tool) => toTool(tool, server)) }
}

/** Empty for a request without tools: servers refuse a choice among none. */
function toChoiceParam({ tools, toolChoice }: ModelRequest): Pick<Params, 'tool_choice'> {
  if (tools.length === 0) return {}
  const choice = toChoice(toolChoice)
  return choice === undefined ? {} : { tool_choice: choice }
}

/** `undefined`: the default of the API, in which the model has the choice. */
function toChoice(choice: ToolChoice): OpenAI.Chat.ChatCompletionToolChoiceOption | undefined {
  if (typeof choice === 'object') return { type: 'function', function: { name: choice.tool } }
  return choice === 'auto' ? undefined : choice
}

export function toTool(tool: ToolDescription, server: ServerTraits): OpenAI.Chat.ChatCompletionFunctionTool {
  const { name, description } = tool
  return { type: 'function', function: { name, description, ...parametersOf(tool, server) } }
}

/** The body without its messages and tools. */
export function toFrame(
  modelId: string,
  request: ModelRequest,
  settings: OpenAISettings,
  server: ServerTraits,
): Omit<Params, 'messages' | 'tools'> {
  const { baseURL, quirks } = server
  const { tools, responseFormat } = request
  return Object.assign({}, toSettings(settings, baseURL, tools.length > 0), settings.extraBody, {
    model: modelId,
    ...toChoiceParam(request),
    ...(responseFormat &&
      !quirks.has('lacks-formats') && {
        response_format: { type: 'json_schema' as const, json_schema: namedSchema(responseFormat, server) },
      }),
  })
}

/* oxlint-disable typescript/no-deprecated -- other servers know only the older names */
function toSettings(settings: OpenAISettings, baseURL: string, hasTools: boolean): Partial<Params> {
  const { stop, maxOutputTokens } = settings
  return {
    temperature: settings.temperature,
    top_p: settings.topP,
    presence_penalty: settings.presencePenalty,
    frequency_penalty: settings.frequencyPenalty,
    ...(isOpenAI(baseURL) ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens }),
    seed: settings.seed,
    stop: stop === undefined || typeof stop === 'string' ? stop : [...stop],
    reasoning_effort: settings.reasoningEffort,
    ...(hasTools ? { parallel_tool_calls: settings.parallelToolCalls } : {}),
    user: settings.user,
  }
}
/* oxlint-enable typescript/no-deprecated */

/** OpenAI refuses `max_tokens` for its reasoning models; others silently ignore the newer name (Ollama does). */
function isOpenAI(baseURL: string): boolean {
  return URL.canParse(baseURL) && /(^|\.)openai\.(com|azure\.com)$/.test(new URL(baseURL).hostname)
}

function toMessage(
  message: Message,
  replay: (call: ToolCall) => Replayed,
  quirks: Quirks,
): OpenAI.Chat.ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return { role: 'user', content: toUserContent(message.content) }
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: textOf(message.content) }
    case 'assistant': {
      const calls = message.toolCalls ?? []
      const kept = keptFields(message, quirks)
      const text = writtenText(message, quirks)
      if (calls.length === 0) return { ...kept, role: 'assistant', content: text }
      return {
        ...kept,
        role: 'assistant',
        content: text === '' ? null : text,
        tool_calls: calls.map((call, index) => ({
          ...keptCallFields(call, index, message, quirks),
          ...toToolCall(call.id, replay(call)),
        })),
      }
    }
  }
}

type Fields = Readonly<Record<string, JsonValue>>

/** The fields that a server of Chat Completions is given back with a message of a model, and with each of its calls. */
function keptFields(message: AssistantMessage, quirks: Quirks): Fields {
  const { fields = {}, reasoningField } = quirks.has('refuses-kept-fields')
    ? {}
    : readMessageData(message.providerData)
  if (reasoningField !== undefined && message.reasoning !== undefined) {
    return { ...fields, [reasoningField]: message.reasoning }
  }
  return quirks.has('wants-reasoning') ? { ...fields, reasoning_content: '' } : fields
}

/** The text of the model, with its thoughts where it wrote them there. */
function writtenText(message: AssistantMessage, quirks: Quirks): string {
  const text = textOf(message.content)
  const { thoughts } = readMessageData(message.providerData)
  const goesBack = thoughts !== undefined && message.reasoning !== undefined
  return goesBack && !quirks.has('refuses-kept-fields') ? asWritten(thoughts, message.reasoning, text) : text
}

/** `index`: the position of the call in its message. Of parallel calls only the first one has a signature. */
function keptCallFields(
  { providerData }: ToolCall,
  index: number,
  { toolCalls = [] }: AssistantMessage,
  quirks: Quirks,
): Fields {
  if (quirks.has('refuses-kept-fields')) return {}
  if (isRecord(providerData)) return providerData
  const isUnsigned = index === 0 && toolCalls.every((call) => call.providerData === undefined)
  return quirks.has('wants-signature') && isUnsigned ? { extra_content: foreignSignature } : {}
}

/** Gemini's own word for a call that another model has made. */
const foreignSignature = { google: { thought_signature: 'skip_thought_signature_validator' } }

// The content of a message of the user as Chat Completions takes it: text, images, audio and documents.

type UserPart = OpenAI.Chat.ChatCompletionContentPart

const api = 'Chat Completions'

/** Throws a `TerminalError` for a file that the API cannot carry. An empty text is not sent beside other parts. */
function toUserContent(content: Content): string | UserPart[] {
  if (typeof content === 'string') return content
  const parts = content.flatMap((part): UserPart[] => {
    if (part.type === 'file') return [toFilePart(part)]
    return part.text === '' ? [] : [{ type: 'text', text: part.text }]
  })
  return parts.length === 0 ? '' : parts
}

function toFilePart(given: FilePart): UserPart {
  const file = sendable(given, api)
  const kind = kindOf(file)
  if (kind === 'image') return { type: 'image_url', image_url: { url: urlOf(file) } }
  if ('url' in file) throw notAccepted(file, api)
  switch (kind) {
    case 'audio':
      return toAudio(file)
    case 'document':
      return { type: 'file', file: { filename: fileNameOf(file), file_data: urlOf(file) } }
    case 'video':
      throw notAccepted(file, api)
  }
}

/** The formats of audio, by the subtypes that are in use for them. */
const formats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  wav: 'wav',
  wave: 'wav',
  'x-wav': 'wav',
  'vnd.wave': 'wav',
  mp3: 'mp3',
  mpeg: 'mp3',
}

function toAudio(file: FileData): UserPart {
  const format = formats[file.mediaType.toLowerCase().slice('audio/'.length)]
  if (format === undefined) throw notAccepted(file, api)
  return { type: 'input_audio', input_audio: { data: file.data, format } }
}

function toToolCall(id: string, { name, args }: Replayed): OpenAI.Chat.ChatCompletionMessageFunctionToolCall {
  return { id, type: 'function', function: { name, arguments: args } }
}
