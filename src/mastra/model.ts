/** The models of Mastra's agents: `openai/<id>`, a model of the AI SDK, or any chat model of this library. */
import { ConfigurationError, openai, type ChatModel } from '../index.ts'
import { show } from '../kit/index.ts'

/** A language model of the AI SDK, as far as it is told apart here. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): unknown
  doStream(options: never): unknown
}

/** A model by its name (`openai/gpt-5-mini`), of the AI SDK, or of this library. */
export type MastraModelConfig = string | ChatModel | AiSdkLanguageModel

const prefix = 'openai/'

/** Throws a `ConfigurationError` for a name of another provider, and for a value that is no model. */
export function assertModel(given: unknown, where: string): asserts given is MastraModelConfig {
  if (typeof given === 'string') {
    if (given.startsWith(prefix) && given.length > prefix.length) return
    const provider = given.includes('/') ? `"${given.split('/')[0]}" of "${given}"` : `the name "${given}"`
    throw new ConfigurationError(
      `${where}: the provider ${provider} is not known here; only "openai/<id>" is. Give a model of the AI SDK, or one of troupe.`,
    )
  }
  if (isAiSdkModel(given) || isChatModel(given)) return
  throw new ConfigurationError(
    `${where} must be "openai/<id>", a model of the AI SDK or a model of troupe, not ${show(given)}.`,
  )
}

/** The chat model of this library. The adapter of the AI SDK is loaded for a model of the AI SDK alone. */
export async function chatModelOf(given: unknown, where: string): Promise<ChatModel> {
  assertModel(given, where)
  if (typeof given === 'string') return openai(given.slice(prefix.length))
  if (!isAiSdkModel(given)) return given
  const { aiSdk } = await import('troupe/ai-sdk')
  return aiSdk(given as Parameters<typeof aiSdk>[0])
}

function isAiSdkModel(given: unknown): given is AiSdkLanguageModel {
  return hasMethods(given, 'doGenerate', 'doStream')
}

function isChatModel(given: unknown): given is ChatModel {
  return hasMethods(given, 'generate')
}

function hasMethods(given: unknown, ...names: readonly string[]): boolean {
  return (
    typeof given === 'object' &&
    given !== null &&
    names.every((name) => typeof Reflect.get(given, name) === 'function')
  )
}
