/** The options of `aiSdk()`. Settings have the names that they have in `openai()`. */
import type { JsonValue } from '../../index.ts'
import {
  type Fields,
  anything,
  is,
  isObject,
  oneOf,
  optional,
  readOptions,
  recordOf,
  withDefault,
} from '../../kit/index.ts'
import {
  type SamplingSettings,
  acceptedTypes,
  assertHas,
  defaultTimeout,
  longestTimeout,
  samplingFields,
} from '../../kit/host.ts'
import type { AiSdkModel } from './specification.ts'

/** Settings that `aiSdk()` sends with each request; the provider's own default holds for one that is absent. */
export interface AiSdkSettings extends SamplingSettings {
  /** Not for models of version 3 of the specification: their providers have options of their own. */
  readonly reasoningEffort?: NonNullable<SamplingSettings['reasoningEffort']>
  /** Options of the provider, by its name: `{ anthropic: { thinking: { type: 'adaptive' } } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, JsonValue>>>>
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A tool that the provider executes, as the `tools` of its package make them. */
export interface ProviderTool {
  readonly type: 'provider'
  /** Provider and name, such as `anthropic.web_search_20250305`. */
  readonly id: `${string}.${string}`
  readonly args: Readonly<Record<string, unknown>>
}

/** The options of `aiSdk()`: cache, tools of the provider, time, and the settings of each request. */
export interface AiSdkOptions extends AiSdkSettings {
  /**
   * Marks the part of the conversation that Anthropic, Bedrock and OpenRouter are to cache: `'system'`, the tools and the
   * instructions; `'history'`, everything up to the last message. Other providers cache without marks, or not at all.
   * Default: none.
   */
  readonly cache?: 'system' | 'history'
  /** Tools that the provider executes, by the names that the model sees. The library never runs them. */
  readonly providerTools?: Readonly<Record<string, ProviderTool>>
  /**
   * The media types of the files that the model takes, such as `image/png`, `image/*`, or a `*` for any: a request with
   * another file fails before the call (`FILE_NOT_ACCEPTED`). Default: all that the provider can send; it decides.
   */
  readonly accepts?: readonly string[]
  /** Milliseconds for one whole call, the body of a stream included. Default 120000. */
  readonly timeout?: number
}

/** The settings of sampling that are sent with each request. */
export function samplingOf(options: AiSdkOptions): SamplingSettings {
  const own = Object.entries(options).filter(([name]) => Object.hasOwn(samplingFields, name))
  return Object.freeze(Object.fromEntries(own))
}

const secret = is('a text', (given) => typeof given === 'string', { isSecret: true })

const providerTool = is(
  'a tool that the provider executes, such as anthropic.tools.webSearch_20250305()',
  (given) =>
    isObject(given) &&
    Reflect.get(given, 'type') === 'provider' &&
    Reflect.get(given, 'isProviderExecuted') !== false &&
    /^[^.]+\../.test(String(Reflect.get(given, 'id'))) &&
    isObject(Reflect.get(given, 'args')),
)

const fields = {
  cache: optional(oneOf('system', 'history')),
  providerTools: optional(recordOf(providerTool, 'an object of tools by name')),
  accepts: optional(acceptedTypes),
  timeout: withDefault(
    is(
      `a whole number of milliseconds from 1 to ${longestTimeout}`,
      (given) => Number.isInteger(given) && Number(given) > 0 && Number(given) <= longestTimeout,
    ),
    defaultTimeout,
  ),
  ...samplingFields,
  providerOptions: optional(
    recordOf(recordOf(anything, 'an object of options'), 'an object of options by provider'),
  ),
  headers: optional(recordOf(secret, 'an object of headers by name')),
} satisfies Fields<AiSdkOptions>

/** Throws a `ConfigurationError`, which has the value of no header. */
export function readModelOptions(model: AiSdkModel, given: AiSdkOptions): AiSdkOptions {
  const where = `aiSdk("${model.provider}/${model.modelId}")`
  const options = readOptions<AiSdkOptions>(given, where, fields)
  assertHas(options, model.specificationVersion === 'v3' ? ['reasoningEffort'] : [], {
    where,
    wire: 'version 3 of the specification',
    instead: 'Use providerOptions.',
  })
  return options
}
