/** The interface that both APIs of a server implement: it sends a call, and reads the answer as one reply. */
import type { APIPromise, OpenAI } from 'openai'
import type { ModelReply, ModelRequest } from '../../chat-model.ts'
import type { EmitDelta } from './deltas.ts'
import type { CallContext } from '../failures/errors.ts'
import type { OpenAISettings } from './options.ts'
import type { KeptTexts } from './body-text.ts'
import type { Quirk, Quirks } from './quirks.ts'

export interface Api {
  /** Below the `baseURL`. */
  readonly path: string
  /** The quirks of servers that a request of this API can be written for. */
  readonly quirks: readonly Quirk[]
  /** Sends the request for a whole reply. */
  send(client: OpenAI, call: ApiCall): Sent
  /** Sends the request; fulfils with the events of the reply once it has begun. */
  sendStreaming(client: OpenAI, call: ApiCall): PromiseLike<AsyncIterable<unknown>>
  /** Throws the errors of `errors.ts`, and a `RetryableError` for a body that is no reply or an unfinished one. */
  readReply(body: unknown, context: CallContext): ModelReply
  /** Whether an event is a whole reply: of a server that ignores `stream: true`. */
  isWhole(event: Record<string, unknown>): boolean
  /** Throws a `RetryableError` where the events end too soon, and errors of the stream itself. */
  collectStream(events: AsyncIterable<unknown>, emit: EmitDelta, context: CallContext): Promise<ModelReply>
}

/** Fulfils with the body, as the client reads it; of a client whose methods were replaced, it may lack `asResponse`. */
export type Sent = Pick<APIPromise<unknown>, 'then' | 'asResponse'>

export interface ApiCall {
  readonly modelId: string
  readonly request: ModelRequest
  readonly settings: OpenAISettings
  readonly options: OpenAI.RequestOptions
  readonly quirks: Quirks
  /** `undefined`: the client must be given the body as an object, because it reads or changes the body. */
  readonly texts: KeptTexts | undefined
}
