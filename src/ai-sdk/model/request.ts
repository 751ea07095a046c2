/** A request and the options of `aiSdk()` as the options of a call. */
import type {
  AssistantMessage,
  FilePart,
  Message,
  ModelRequest,
  ToolChoice,
  ToolMessage,
} from '../../index.ts'
import { filesOf, isAmong } from '../../kit/index.ts'
import { stopsOf, withFilesAfter, type Quirks } from '../../kit/host.ts'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
  LanguageModelV4Message,
  LanguageModelV3FilePart,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4FilePart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import type { AiSdkOptions } from './options.ts'
import { toPrompt } from './prompt.ts'
import type { AiSdkModel } from './specification.ts'
import { partsKeptBy } from './kept-parts.ts'
import { textOfData } from './files.ts'
import { formatOf, toTool } from './schemas.ts'

/** The model that is called. */
export type CalledModel = Pick<AiSdkModel, 'provider' | 'specificationVersion'>

export interface CallIdentity {
  readonly signal: AbortSignal
  readonly idempotencyKey: string
  /** What the server has shown of the schemas that it takes. */
  readonly quirks?: Quirks
}

export function toCallOptions(
  request: ModelRequest,
  options: AiSdkOptions,
  model: CalledModel,
  { signal, idempotencyKey, quirks = new Set() }: CallIdentity,
): LanguageModelV4CallOptions {
  const { responseFormat, toolChoice } = request
  const { provider } = model
  const offered = request.tools.map((tool) => toTool(tool, provider, quirks))
  const tools = [...offered, ...providerTools(request, options)]
  const format =
    responseFormat === undefined || quirks.has('lacks-formats')
      ? undefined
      : { name: responseFormat.name, ...formatOf(responseFormat.schema, provider, quirks) }
  return {
    prompt: promptOf(request, options, model),
    ...settingsOf(options, format?.options),
    ...(tools.length === 0 ? {} : { tools, toolChoice: toChoice(toolChoice) }),
    ...(format === undefined
      ? {}
      : { responseFormat: { type: 'json', name: format.name, schema: format.schema } }),
    headers: { 'idempotency-key': idempotencyKey, ...options.headers },
    abortSignal: signal,
  }
}

/** Version 3 has other parts for files; the adapter treats its models as those of version 4. */
function promptOf(
  request: ModelRequest,
  { cache }: AiSdkOptions,
  { provider, specificationVersion }: CalledModel,
): LanguageModelV4Prompt {
  const messages = placedFiles(request.messages, provider)
  const prompt = withCacheMarks(toPrompt({ ...request, messages }), cache)
  return specificationVersion === 'v3' ? (toVersion3(prompt) as unknown as LanguageModelV4Prompt) : prompt
}

// A prompt as version 3 of the specification has it: the parts of files differ.

type ResultPart = Extract<LanguageModelV4ToolResultOutput, { readonly type: 'content' }>['value'][number]
type ResultPartV3 = Extract<LanguageModelV3ToolResultOutput, { readonly type: 'content' }>['value'][number]

/** The prompt has files by bytes and by URL alone. */
function toVersion3(prompt: LanguageModelV4Prompt): LanguageModelV3Prompt {
  return prompt.map((message) => {
    if (message.role === 'system') return message
    return { ...message, content: message.content.map(toPart) }
  }) as LanguageModelV3Prompt
}

type Part = Exclude<LanguageModelV4Prompt[number], { readonly role: 'system' }>['content'][number]

function toPart(part: Part): object {
  if (part.type === 'file') return toFile(part)
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  return { ...part, output: { type: 'content', value: part.output.value.map(toResultPart) } }
}

function toFile({ data, ...part }: LanguageModelV4FilePart): LanguageModelV3FilePart {
  return { ...part, data: dataOf(data) }
}

function toResultPart(part: ResultPart): ResultPartV3 {
  if (part.type !== 'file') return part
  const { mediaType, filename } = part
  const data = dataOf(part.data)
  const isImage = mediaType.startsWith('image/')
  if (data instanceof URL) return { type: isImage ? 'image-url' : 'file-url', url: data.href }
  return isImage
    ? { type: 'image-data', data, mediaType }
    : { type: 'file-data', data, mediaType, ...(filename === undefined ? {} : { filename }) }
}

function dataOf(data: LanguageModelV4FilePart['data']): string | URL {
  switch (data.type) {
    case 'url':
      return data.url
    case 'data':
      return textOfData(data.data)
    case 'text':
    case 'reference':
      throw new TypeError(`A prompt has no file of the form "${data.type}".`)
  }
}

/** Providers that send the files of a result; the others write their bytes into its text. */
const withFilesInResults =
  /(^|\.)(anthropic|google|googleVertex|vertex|bedrock|amazon-bedrock)(\.|$)|^(openai|azure)\.responses$/

/** The types that all of these providers send there. */
const inResults = ['image/*', 'application/pdf']

/**
 * The messages in which a provider finds the files of a conversation. Files of the user stay where they are; those of
 * other messages stay where the provider takes them, or follow in a message of the user.
 */
function placedFiles(messages: readonly Message[], provider: string): readonly Message[] {
  const inResult = withFilesInResults.test(provider)
  return withFilesAfter(messages, (file, message) => {
    if (!('data' in file)) return false
    return message.role === 'tool' ? inResult && staysInResult(file, message) : isOwn(message)
  })
}

/** The error of a call is sent as text. */
function staysInResult({ mediaType }: FilePart, { isError }: ToolMessage): boolean {
  return isError !== true && isAmong(mediaType, inResults)
}

/** The provider has made the files, and takes them back in their places. */
function isOwn(message: AssistantMessage): boolean {
  const places = partsKeptBy(message)?.filter(({ type }) => type === 'file') ?? []
  return places.length === filesOf(message.content).length
}

/** A provider reads the mark under its own name, and no other. */
const mark: SharedV4ProviderOptions = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
  openrouter: { cacheControl: { type: 'ephemeral' } },
}

/**
 * A mark covers everything before it, tools included. The conversation only grows, so the last message of one request
 * is in the middle of the next one.
 */
function withCacheMarks(prompt: LanguageModelV4Prompt, cache: AiSdkOptions['cache']): LanguageModelV4Prompt {
  if (cache === undefined) return prompt
  const system = prompt.findLastIndex(({ role }) => role === 'system')
  const last = cache === 'history' ? prompt.length - 1 : system
  return prompt.map((message, index) => (index === system || index === last ? marked(message) : message))
}

function marked(message: LanguageModelV4Message): LanguageModelV4Message {
  return { ...message, providerOptions: { ...message.providerOptions, ...mark } }
}

/** `more`: options of the provider that an option of the user goes before. */
function settingsOf(
  { reasoningEffort, providerOptions: given, ...options }: AiSdkOptions,
  more: SharedV4ProviderOptions = {},
) {
  const providerOptions = withMore(given, more)
  const stopSequences = stopsOf(options)
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, maxOutputTokens, seed } = options
  return {
    ...definedOf({ temperature, topP, topK, presencePenalty, frequencyPenalty, maxOutputTokens, seed }),
    ...(stopSequences === undefined ? {} : { stopSequences }),
    ...(reasoningEffort === undefined ? {} : { reasoning: reasoningEffort }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

function withMore(
  given: SharedV4ProviderOptions | undefined,
  more: SharedV4ProviderOptions,
): SharedV4ProviderOptions | undefined {
  const names = Object.keys(more)
  if (names.length === 0) return given
  return { ...given, ...Object.fromEntries(names.map((name) => [name, { ...more[name], ...given?.[name] }])) }
}

/** Some providers tell a setting that is `undefined` from one that is absent. */
function definedOf<Settings extends Readonly<Record<string, number | undefined>>>(
  settings: Settings,
): { [Name in keyof Settings]?: number } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Settings]?: number
  }
}

function toChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === 'object' ? { type: 'tool', toolName: choice.tool } : { type: choice }
}

/** None in a final turn, which must be an answer. */
function providerTools({ toolChoice }: ModelRequest, options: AiSdkOptions): LanguageModelV4ProviderTool[] {
  if (toolChoice === 'none') return []
  return Object.entries(options.providerTools ?? {}).map(([name, { id, args }]) => ({
    type: 'provider',
    id,
    name,
    args: { ...args },
  }))
}
