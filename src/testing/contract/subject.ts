/** A model under a contract: how a case obtains it, and what its server is to reply. */
import type { ChatModel } from '../../actors/chat-model.ts'
import type { JsonValue } from '../../actors/values/json.ts'

/** One check of a contract. Give it to the test runner of your choice: `test(name, run)`. */
export interface ContractCase {
  readonly name: string
  /** Rejects with an error that names the expectation that does not hold. */
  run(): Promise<void>
}

/** How a reply fails. */
export type ContractFailure =
  /** The server has had too many requests: status 429, `retry-after: 2`. */
  | 'rate-limited'
  /** The server is down for a while: status 503. */
  | 'unavailable'
  /** The server does not take the request: status 400. */
  | 'refused'
  /** The connection ends after the first piece of the stream. */
  | 'cut'
  /** The server never answers. */
  | 'silent'

/** A call in a reply of a contract. */
export interface ContractCall {
  readonly id: string
  readonly name: string
  readonly args: Readonly<Record<string, JsonValue>>
  /** Instead of `args`, the text of arguments that is no JSON. */
  readonly malformed?: string
}

/** A file in a reply of a contract. */
export interface ContractFile {
  /** IANA media type, such as `image/png`. */
  readonly mediaType: string
  /** The bytes as base64. */
  readonly data: string
}

/** A page of the web in a reply of a contract. */
export interface ContractSource {
  readonly url: string
  readonly title: string
}

/** What the server of a model under a contract is to reply; with a `failure` nothing else is given, or a text before it. */
export interface ContractReply {
  readonly text?: string
  readonly reasoning?: string
  readonly toolCalls?: readonly ContractCall[]
  /** Files that the model has made. */
  readonly files?: readonly ContractFile[]
  /** The pages of the web that the text cites. */
  readonly sources?: readonly ContractSource[]
  /** The reply ends early: at its cap of tokens, or at a filter. */
  readonly ends?: 'length' | 'content-filter'
  /** The tokens that the server reports. `inputTokens` includes those read from a cache and written to it. */
  readonly usage?: ContractUsage
  readonly failure?: ContractFailure
}

/** Tokens that the server reports. */
export interface ContractUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

/** A part of the contract that not every model has. */
export type ModelFeature =
  | 'reasoning'
  | 'made-files'
  | 'sources'
  | 'malformed'
  | 'length'
  | 'content-filter'
  | 'cached'
  | 'cache-write'
  | 'reasoning-tokens'
  | ContractFailure

/** A model that a case has opened. */
export interface OpenModel {
  readonly model: ChatModel
  /** The requests that the server of the model has received, as text: files of messages must be in them. Default: not checked. */
  received?(): string
  /** Called at the end of the case. */
  close?(): void | Promise<void>
}

/** A model under a contract. */
export interface ModelSubject {
  /** A new model whose server gives these replies, one a request, in this order. */
  open(replies: readonly ContractReply[]): OpenModel | Promise<OpenModel>
  /** Parts that the model or its server does not have: their cases are left out. Default: none. */
  readonly lacks?: readonly ModelFeature[]
}
