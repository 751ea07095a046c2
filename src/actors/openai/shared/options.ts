/** The options of a model behind the `openai` client. */
import type { OpenAI } from 'openai'
import type { SamplingSettings } from '../../models/sampling.ts'
import type { JsonValue } from '../../values/json.ts'

/** Settings that `openai()` sends with each request; the server's own default holds for one that is absent. */
export interface OpenAISettings extends Omit<SamplingSettings, 'topK'> {
  /**
   * A cap on the tokens of one reply, reasoning included: `max_output_tokens` in the Responses API, in Chat
   * Completions `max_completion_tokens` at OpenAI and `max_tokens` elsewhere.
   */
  readonly maxOutputTokens?: number
  /** Not in the Responses API. */
  readonly presencePenalty?: number
  /** Not in the Responses API. */
  readonly frequencyPenalty?: number
  /** Not in the Responses API. */
  readonly seed?: number
  /** Texts before which a reply ends. Not in the Responses API. */
  readonly stop?: string | readonly string[]
  /** Asks OpenAI for a summary of the reasoning. Only in the Responses API; the default is none. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed'
  /** Sent only with a request that has tools. */
  readonly parallelToolCalls?: boolean
  readonly user?: string
  /**
   * Further fields of the request body, as the server names them. They win over the settings above, but cannot make
   * the Responses API store or continue a conversation of its own.
   */
  readonly extraBody?: Readonly<Record<string, JsonValue>>
}

export type ApiName = 'chat' | 'responses'

/** The options of `openai()`: the server, the API, time and price, and the settings of each request. */
export interface OpenAIOptions extends OpenAISettings {
  /** Default: `'chat'`, Chat Completions, which nearly every server speaks. */
  readonly api?: ApiName
  /** Default: the environment variable `OPENAI_API_KEY`. Not needed where a `baseURL` is given. */
  readonly apiKey?: string
  /** Default: the environment variable `OPENAI_BASE_URL`, else OpenAI's own. */
  readonly baseURL?: string
  /**
   * The media types of the files that the model takes, such as `image/png`, `image/*`, or a `*` for any: a request with
   * another file fails before the call (`FILE_NOT_ACCEPTED`). Default: all that the API can carry; the server decides.
   */
  readonly accepts?: readonly string[]
  /** Milliseconds for one whole call, the body of a stream included. Default 120000. */
  readonly timeout?: number
  /** Most bytes of one reply, decompressed; a larger one is refused (`MODEL_REPLY_TOO_LARGE`). Default 16777216. */
  readonly maxReplyBytes?: number
  /**
   * A ready client, instead of `apiKey` and `baseURL`. Its own retries and timeout are not used. One whose methods were
   * replaced is used as it is, and its replies are not measured.
   */
  readonly client?: OpenAI
  /**
   * How requests are sent: a function like `fetch`, for example `nodeFetch()` of `troupe/node-http`. Default: the `fetch` of
   * the platform. Not with a `client`, which has its own.
   */
  readonly fetch?: typeof globalThis.fetch
}

/** Milliseconds that a request of a model may take, unless it says otherwise. */
export const defaultTimeout = 120_000

/** 16 MiB. */
export const defaultMaxReplyBytes = 2 ** 24

/** The longest delay that a timer can hold. */
export const longestTimeout = 2 ** 31 - 1
