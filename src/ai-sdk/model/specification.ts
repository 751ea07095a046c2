/** The specifications of language models that the adapter takes: versions 3 and 4, which share the parts that it uses. */
import { ConfigurationError } from '../../index.ts'
import { isObject, show } from '../../kit/index.ts'
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'

/** A language model of an AI SDK provider, of version 3 or 4 of the specification. */
export type AiSdkModel = LanguageModelV4 | LanguageModelV3

/**
 * The model, as one of version 4: version 3 differs in the parts of files alone (`request.ts`, `files.ts`).
 * Throws a `ConfigurationError` for a value that is no model of these versions.
 */
export function checkModel(given: unknown): LanguageModelV4 {
  if (typeof given === 'string') {
    throw new ConfigurationError(
      `aiSdk(): give the model of a provider, such as anthropic(${show(given)}), and not only its id.`,
    )
  }
  if (!isObject(given) || !isLanguageModel(given)) {
    throw new ConfigurationError('aiSdk(): the model must be a language model of an AI SDK provider.')
  }
  const version: unknown = Reflect.get(given, 'specificationVersion')
  if (version === 'v4' || version === 'v3') return given as LanguageModelV4
  const { provider, modelId } = given
  throw new ConfigurationError(
    `aiSdk(): "${provider}/${modelId}" has version ${show(version)} of the specification, and the versions that can be ` +
      "used are 'v4' and 'v3'. Update its provider package.",
  )
}

function isLanguageModel(given: object): given is { readonly provider: string; readonly modelId: string } {
  const names = ['provider', 'modelId'].every((name) => typeof Reflect.get(given, name) === 'string')
  return names && ['doGenerate', 'doStream'].every((name) => typeof Reflect.get(given, name) === 'function')
}
