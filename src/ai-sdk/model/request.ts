/** A request and the options of `aiSdk()` as the options of a call. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
  LanguageModelV4ToolChoice,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { ModelRequest, ToolChoice, ToolDescription } from '../../actors/chat-model.ts'
import { stopsOf } from '../../actors/models/sampling.ts'
import { withCacheMarks } from './cache-marks.ts'
import { placedFiles } from './placed-files.ts'
import type { AiSdkOptions } from './options.ts'
import { toPrompt } from './prompt.ts'
import type { AiSdkModel } from './specification.ts'
import { toVersion3 } from './version-3.ts'

/** The model that is called. */
export type CalledModel = Pick<AiSdkModel, 'provider' | 'specificationVersion'>

export interface CallIdentity {
  readonly signal: AbortSignal
  readonly idempotencyKey: string
}

export function toCallOptions(
  request: ModelRequest,
  options: AiSdkOptions,
  model: CalledModel,
  { signal, idempotencyKey }: CallIdentity,
): LanguageModelV4CallOptions {
  const { responseFormat, toolChoice } = request
  const tools = [...request.tools.map(toTool), ...providerTools(request, options)]
  return {
    prompt: promptOf(request, options, model),
    ...settingsOf(options),
    ...(tools.length === 0 ? {} : { tools, toolChoice: toChoice(toolChoice) }),
    ...(responseFormat === undefined
      ? {}
      : {
          responseFormat: {
            type: 'json',
            name: responseFormat.name,
            schema: responseFormat.schema,
          },
        }),
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

function settingsOf({ reasoningEffort, providerOptions, ...options }: AiSdkOptions) {
  const stopSequences = stopsOf(options)
  const { temperature, topP, topK, presencePenalty, frequencyPenalty, maxOutputTokens, seed } = options
  return {
    ...definedOf({ temperature, topP, topK, presencePenalty, frequencyPenalty, maxOutputTokens, seed }),
    ...(stopSequences === undefined ? {} : { stopSequences }),
    ...(reasoningEffort === undefined ? {} : { reasoning: reasoningEffort }),
    ...(providerOptions === undefined ? {} : { providerOptions: providerOptions as SharedV4ProviderOptions }),
  }
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

function toTool({ name, description, parameters, strict }: ToolDescription): LanguageModelV4FunctionTool {
  const held = strict === undefined ? {} : { strict }
  return { type: 'function', name, description, inputSchema: parameters, ...held }
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
