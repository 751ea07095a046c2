/**
 * The one interface between the library and a language model. Any object of this shape is a model: the client
 * of a provider, the scripted model of the test kit, or a user's own function.
 */
import { isRecord, type JsonValue } from './values/json.ts'
import type { FilePart } from './content/content.ts'
import type { Source } from './content/source.ts'
import type { Message, ToolCall } from './message.ts'
import type { Usage } from './usage.ts'

/** A model: any object of this shape, such as that of `openai()` or a `scriptedModel`. */
export interface ChatModel {
  readonly provider: string
  readonly modelId: string
  /**
   * The media types of the files that the model takes: `image/png`, `image/*`, or a `*` for any. A request with another
   * file fails before the call, `FILE_NOT_ACCEPTED`. Default: the driver or the server decides.
   */
  readonly accepts?: readonly string[]
  /** The settings that it sends with each request, for observers. Default: none is told. */
  readonly settings?: SamplingSettings | undefined
  /** The server that it asks, for observers. Default: none is told. */
  readonly server?: ModelServer | undefined
  /**
   * Answers one request. Rejects with a `RetryableError` (rate limit, overload, cut connection) or a `TerminalError`;
   * any other error counts as terminal. Calls `onDelta` only where it is given.
   */
  generate(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>
}

/** Settings of sampling, sent with each request; the default of the server holds for one that is absent. */
export interface SamplingSettings {
  readonly temperature?: number
  /** From 0 to 1. */
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  /** A cap on the tokens of one reply, reasoning included where the server counts it so. */
  readonly maxOutputTokens?: number
  /** An integer: equal requests then give equal replies, as far as the server can. */
  readonly seed?: number
  /** Texts before which a reply ends. */
  readonly stop?: string | readonly string[]
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
}

/** The server of a model, without credentials, path and parameters. */
export interface ModelServer {
  /** A host name, or an address of IP. */
  readonly address: string
  readonly port: number
}

/** A request to a model: messages, tools on offer, and the shape of the answer. */
export interface ModelRequest {
  /** Files are given by their bytes or by URL, and never by reference. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDescription[]
  readonly toolChoice: ToolChoice
  /** The answer must be JSON of this shape; a driver may ignore this, as the instructions state the shape too. */
  readonly responseFormat?: ResponseFormat
}

/**
 * `auto`: the model may answer, or call tools. `none`: it must answer with text. `required`: it must call a tool.
 * `{ tool }`: it must call this tool, by the name that the model sees.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string }

/** The form of the reply that a request asks for. */
export interface ResponseFormat {
  readonly name: string
  /** JSON Schema (draft 2020-12). */
  readonly schema: Readonly<Record<string, JsonValue>>
}

/** A tool as a model sees it. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema (draft 2020-12) of the arguments, an object schema. */
  readonly parameters: Readonly<Record<string, JsonValue>>
  /** The server is to hold the model to the schema, which then fits the rules of strict schemas. */
  readonly strict?: true
}

/** The signal, the receiver of deltas and the idempotency key of a model call. */
export interface ModelCallOptions {
  readonly signal: AbortSignal
  /** The same on every attempt that is not a new decision of the statechart. */
  readonly idempotencyKey: string
  readonly onDelta?: (delta: ModelDelta) => void
}

/** A piece of a reply, as a model streams it. */
export type ModelDelta = SpokenPart | CallDelta

/** A piece of the text or the reasoning of a reply. */
export interface SpokenPart {
  readonly type: 'text' | 'reasoning'
  /** Never empty. */
  readonly text: string
}

/** A piece of the arguments of a tool call. */
export interface CallDelta {
  readonly type: 'tool-args'
  /** The position of the call among `toolCalls` of the reply, from 0. */
  readonly index: number
  /** As in `toolCalls`; empty where the server gives none. */
  readonly id: string
  readonly name: string
  /** JSON as text. Never empty. */
  readonly text: string
}

/** Why a reply of a model ended. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'refusal' | 'unknown'

/** A call of a tool of the provider, such as a search of the web, which the provider has executed while it replied. */
export interface ProviderCall {
  readonly name: string
  readonly args: JsonValue
  /** The provider reports that the call has failed. */
  readonly isError?: true
}

/** What a server says about its reply. Each text has at most 256 characters; a longer one is left out. */
export interface ModelResponse {
  /** The id of the reply at the server. */
  readonly id?: string
  /** The model that has answered, where the server names it: for an alias, the version behind it. */
  readonly modelId?: string
}

/** A complete reply of a model. */
export interface ModelReply {
  readonly text: string
  readonly reasoning?: string
  /** Files that the model has made, such as images. */
  readonly files?: readonly FilePart[]
  /** What the reply cites, such as the results of a search of the provider. */
  readonly sources?: readonly Source[]
  readonly toolCalls: readonly ToolCall[]
  /** Calls that the provider has executed itself: a step records them, and the library runs none of them. */
  readonly providerCalls?: readonly ProviderCall[]
  readonly finishReason: FinishReason
  readonly usage: Usage
  /** It is journaled with the reply, and decides nothing. Default: the server says nothing. */
  readonly response?: ModelResponse
  /** The message of this reply keeps its reasoning, for a provider that wants it back. Default: it is dropped. */
  readonly keepReasoning?: true
  /**
   * Data that the provider wants back with the message, such as signed or encrypted reasoning: JSON, which only the
   * driver that made it reads. It is journaled with the reply, and stays out of events, of the conversations of other
   * agents, of threads and of the provenance. It comes back on the message of this reply (`messages` of a request).
   */
  readonly providerData?: JsonValue
}

/** Characters of a text of a `ModelResponse`. */
const longestText = 256

/** The texts that are kept of what a server says about its reply; `undefined`: none. */
export function readResponse(given: unknown): ModelResponse | undefined {
  if (!isRecord(given)) return undefined
  const { id, modelId } = given
  const response = { ...(isKept(id) ? { id } : {}), ...(isKept(modelId) ? { modelId } : {}) }
  return Object.keys(response).length === 0 ? undefined : response
}

function isKept(text: unknown): text is string {
  return typeof text === 'string' && text.length <= longestText && text.trim() !== ''
}
