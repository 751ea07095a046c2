/** What the two APIs of a server have in common: a call is sent, and what comes is read as one reply. */
import type { OpenAI } from 'openai'
import type { ModelReply, ModelRequest } from '../../chat-model.ts'
import type { EmitDelta } from './deltas.ts'
import type { CallContext } from '../failures/errors.ts'
import type { OpenAISettings } from './options.ts'

export interface Api {
  /** Sends the request; fulfils with the body of the reply. */
  send(client: OpenAI, call: ApiCall): PromiseLike<unknown>
  /** Sends the request; fulfils with the events of the reply once it has begun. */
  sendStreaming(client: OpenAI, call: ApiCall): PromiseLike<AsyncIterable<unknown>>
  /** Throws as `errors.ts` says, and a `RetryableError` for a body that is no reply or an unfinished one. */
  readReply(body: unknown, context: CallContext): ModelReply
  /** Whether an event is a whole reply: of a server that takes no notice of `stream: true`. */
  isWhole(event: Record<string, unknown>): boolean
  /** Throws a `RetryableError` where the events end too soon; what the stream itself throws passes. */
  collectStream(events: AsyncIterable<unknown>, emit: EmitDelta, context: CallContext): Promise<ModelReply>
}

export interface ApiCall {
  readonly modelId: string
  readonly request: ModelRequest
  readonly settings: OpenAISettings
  readonly options: OpenAI.RequestOptions
}
