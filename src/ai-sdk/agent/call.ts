/** A call of a language model as the prompt and the options of a run. */
import {
  type AnyAgent,
  type FilePart,
  type Part,
  type PromptMessage,
  TerminalError,
  type ToolChoice,
  jsonSchema,
} from '../../index.ts'
import { base64Of, isMediaType } from '../../kit/index.ts'
import { type Pattern, asDefinition, callingPatterns, mayCall } from '../../kit/host.ts'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4Warning,
  LanguageModelV4FilePart,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider'
import { textOfData } from '../model/files.ts'

export interface ReadCall {
  readonly prompt: readonly PromptMessage[]
  /** Options that this call gives to its run. */
  readonly options: object
  /** Parts of the call that an agent does not take. */
  readonly warnings: SharedV4Warning[]
}

/** Settings of a model: an agent has a model of its own, with its own settings and tools. */
const unsupported = [
  'maxOutputTokens',
  'temperature',
  'stopSequences',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'tools',
  'reasoning',
] as const satisfies readonly (keyof LanguageModelV4CallOptions)[]

/**
 * Throws a `TerminalError` for a file that cannot be read, and a `ConfigurationError` for a schema that cannot be checked.
 */
export function readCall(call: LanguageModelV4CallOptions, agent: AnyAgent): ReadCall {
  const { responseFormat, providerOptions = {}, prompt, abortSignal } = call
  const toolChoice = choiceOf(call)
  const isForAgent = toolChoice !== undefined && takesChoice(toolChoice, call, agent)
  const schema = responseFormat?.type === 'json' ? responseFormat.schema : undefined
  const given = unsupported.filter((name) => call[name] !== undefined)
  const hasSystem = prompt.some(({ role }) => role === 'system')
  const isShapeless = responseFormat?.type === 'json' && schema === undefined
  const features = [
    ...given,
    ...(hasSystem ? ['system messages'] : []),
    ...(toolChoice === undefined || isForAgent ? [] : ['toolChoice']),
    ...(isShapeless ? ['responseFormat without a schema'] : []),
  ]
  return {
    prompt: prompt.flatMap(toMessage),
    options: {
      ...providerOptions['troupe'],
      ...(schema === undefined ? {} : { structuredOutput: { schema: jsonSchema(schema) } }),
      ...(isForAgent ? { toolChoice } : {}),
      ...(abortSignal === undefined ? {} : { signal: abortSignal }),
    },
    warnings: features.map((feature) => ({
      type: 'unsupported',
      feature,
      details: 'The agent has instructions, tools and settings of its own.',
    })),
  }
}

/** `undefined`: the agent decides. */
function choiceOf({ toolChoice }: LanguageModelV4CallOptions): ToolChoice | undefined {
  if (toolChoice === undefined || toolChoice.type === 'auto') return undefined
  return toolChoice.type === 'tool' ? { tool: toolChoice.toolName } : toolChoice.type
}

/**
 * Whether the agent has the option `toolChoice`. A choice of a tool that the call offers, and the agent does not, is about
 * the tools of the call.
 */
function takesChoice(
  choice: ToolChoice,
  { tools = [] }: LanguageModelV4CallOptions,
  agent: AnyAgent,
): boolean {
  const patterns: readonly Pattern[] = callingPatterns
  if (!patterns.includes(agent.pattern)) return false
  return tools.length === 0 || mayCall(asDefinition(agent), choice)
}

/** Texts and files: calls in the history are those of earlier runs, which the agent has made itself. */
function toMessage(message: LanguageModelV4Message): readonly PromptMessage[] {
  const { role, content } = message
  if (role === 'system' || role === 'tool') return []
  const parts = content.flatMap((part): readonly Part[] => {
    if (part.type === 'text')
      return part.text === '' || isVoid(part) ? [] : [{ type: 'text', text: part.text }]
    return part.type === 'file' ? [readFilePart(part)] : []
  })
  if (parts.length === 0) return []
  // Each step has said its text by itself.
  if (role === 'assistant') {
    return parts.map((part) => ({ role, content: part.type === 'text' ? part.text : [part] }))
  }
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return [{ role, content: texts.length === parts.length ? texts.join('\n') : parts }]
}

/** Whether an earlier stream has told that the agent did not take the text. */
function isVoid({ providerOptions }: LanguageModelV4TextPart): boolean {
  return providerOptions?.['troupe']?.['status'] !== undefined
}

/** Throws a `TerminalError` for a reference to a file of another provider, and for a file whose type is not known. */
function readFilePart({ data, mediaType, filename }: LanguageModelV4FilePart): FilePart {
  const name = filename === undefined || filename.trim() === '' ? {} : { name: filename }
  switch (data.type) {
    case 'data': {
      const base64 = textOfData(data.data)
      return { type: 'file', mediaType: typeOf(mediaType, base64), ...name, data: base64 }
    }
    case 'text': {
      const base64 = base64Of(new TextEncoder().encode(data.text))
      const type = isMediaType(mediaType) ? mediaType : 'text/plain'
      return { type: 'file', mediaType: type, ...name, data: base64 }
    }
    case 'url':
      if (!/^https?:$/.test(data.url.protocol)) throw refused(`by a URL of ${data.url.protocol}`)
      return { type: 'file', mediaType: typeOf(mediaType), ...name, url: data.url.href }
    case 'reference':
      throw refused('by a reference of a provider')
  }
}

/** The beginnings of files, as base64, whose type a caller need not state. */
const beginnings: readonly (readonly [start: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
]

/** A caller may state the first half of a media type alone: `image`, or `image/*`. */
function typeOf(stated: string, base64 = ''): string {
  const [half = ''] = stated.split('/')
  if (isMediaType(stated)) return stated
  const known = beginnings.find(([start, type]) => base64.startsWith(start) && type.startsWith(`${half}/`))
  if (known === undefined) throw refused(`of the type "${stated}", which is not complete`)
  return known[1]
}

function refused(how: string): TerminalError {
  return new TerminalError(`toLanguageModel: the prompt has a file ${how}.`, { code: 'FILE_NOT_ACCEPTED' })
}
