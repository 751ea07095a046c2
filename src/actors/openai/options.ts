/** What a user can say about a model behind the `openai` client, and the checks made when the model is created. */
import type { OpenAI } from 'openai'
import { ConfigurationError } from '../../errors.ts'
import type { JsonValue } from '../json.ts'

export interface OpenAISettings {
  readonly temperature?: number
  readonly topP?: number
  /** A cap on the tokens of one reply, reasoning included: `max_completion_tokens` at OpenAI, `max_tokens` elsewhere. */
  readonly maxOutputTokens?: number
  readonly seed?: number
  readonly stop?: string | readonly string[]
  readonly reasoningEffort?: NonNullable<OpenAI.Chat.ChatCompletionCreateParams['reasoning_effort']>
  /** Sent only with a request that has tools. */
  readonly parallelToolCalls?: boolean
  readonly user?: string
  /** Further fields of the request body, as the server names them. They win over the settings above. */
  readonly extraBody?: Readonly<Record<string, JsonValue>>
}

export interface OpenAIOptions extends OpenAISettings {
  /** Default: the environment variable `OPENAI_API_KEY`. Not needed where a `baseURL` is given. */
  readonly apiKey?: string
  /** Default: the environment variable `OPENAI_BASE_URL`, else OpenAI's own. */
  readonly baseURL?: string
  /** Milliseconds for one whole call, the body of a stream included. Default 120000. */
  readonly timeout?: number
  /** A ready client, instead of `apiKey` and `baseURL`. Its own retries and timeout are not used. */
  readonly client?: OpenAI
}

export const defaultTimeout = 120_000

/** The longest delay that a timer can hold. */
export const longestTimeout = 2 ** 31 - 1

export function checkOptions(modelId: string, options: OpenAIOptions): void {
  if (typeof modelId !== 'string' || modelId.trim() === '') {
    throw new ConfigurationError(
      `openai(): the model id must be a text that is not empty, got ${show(modelId)}.`,
    )
  }
  const where = `openai(${show(modelId)})`
  const { baseURL, client, apiKey, maxOutputTokens, timeout = defaultTimeout } = options
  if (!isPositiveInteger(timeout) || timeout > longestTimeout) {
    throw new ConfigurationError(
      `${where}: timeout must be a whole number of milliseconds from 1 to ${longestTimeout}, got ${show(timeout)}.`,
    )
  }
  if (maxOutputTokens !== undefined && !isPositiveInteger(maxOutputTokens)) {
    throw new ConfigurationError(
      `${where}: maxOutputTokens must be a positive integer, got ${show(maxOutputTokens)}.`,
    )
  }
  if (client !== undefined && (apiKey !== undefined || baseURL !== undefined)) {
    throw new ConfigurationError(
      `${where}: give either a client, or apiKey and baseURL; the client has its own.`,
    )
  }
  if (baseURL !== undefined && !isHttpUrl(baseURL)) {
    throw new ConfigurationError(`${where}: baseURL must be an http or https URL, got ${show(baseURL)}.`)
  }
}

function isPositiveInteger(value: number): boolean {
  return Number.isInteger(value) && value > 0
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
