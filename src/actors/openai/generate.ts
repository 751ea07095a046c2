/**
 * The calls of one model. They need most of the driver, so the first of them loads this module, like the client:
 * `import 'troupe'` stays cheap for programs that only define agents.
 */
import type { OpenAI } from 'openai'
import type { ChatModel, ModelCallOptions, ModelReply, ModelRequest } from '../chat-model.ts'
import type { Api } from './shared/api.ts'
import { chat } from './chat/chat.ts'
import { createClients, endpointOf, noteSecrets, type Clients } from './client.ts'
import { withDeadline } from './http/deadline.ts'
import { deltaEmitter } from './shared/deltas.ts'
import { toModelError } from './failures/errors.ts'
import {
  defaultMaxReplyBytes,
  defaultTimeout,
  longestTimeout,
  type ApiName,
  type OpenAIOptions,
} from './shared/options.ts'
import { refusesFormat } from './shared/response-format.ts'
import { responses } from './responses/responses.ts'
import { Secrets } from './http/secrets.ts'
import { collect } from './whole-event.ts'

const apis: Readonly<Record<ApiName, Api>> = { chat, responses }

export function createGenerate(modelId: string, options: OpenAIOptions): ChatModel['generate'] {
  const api = apis[options.api ?? 'chat']
  const timeout = options.timeout ?? defaultTimeout
  const secrets = new Secrets()
  const context = {
    modelId,
    endpoint: () => clients && endpointOf(clients.whole, api.path),
    redact: (text: string) => secrets.redact(text),
  }
  const guard = { modelId, maxReplyBytes: options.maxReplyBytes ?? defaultMaxReplyBytes, secrets }
  let clients: Clients | undefined
  /** The server has refused a shape once: from then on the instructions and the check of the answer must suffice. */
  let lacksFormats = false

  async function call(
    request: ModelRequest,
    { idempotencyKey, onDelta }: ModelCallOptions,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    let isStreaming = false
    try {
      clients ??= await createClients(options, guard)
      const requestOptions: OpenAI.RequestOptions = {
        maxRetries: 0,
        timeout: Math.min(timeout + 1000, longestTimeout), // the client's timer must not be faster than ours
        signal,
        idempotencyKey,
      }
      const apiCall = { modelId, request, settings: options, options: requestOptions }
      if (onDelta === undefined) return api.readReply(await api.send(clients.whole, apiCall), context)
      const events = await api.sendStreaming(clients.streaming, apiCall)
      isStreaming = true
      return await collect(api, events, deltaEmitter(onDelta, signal), context)
    } catch (error) {
      if (clients !== undefined) noteSecrets(clients.whole, secrets)
      throw toModelError(error, context, isStreaming)
    }
  }

  async function callShaped(
    { responseFormat, ...request }: ModelRequest,
    callOptions: ModelCallOptions,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    if (responseFormat === undefined || lacksFormats) return call(request, callOptions, signal)
    try {
      return await call({ ...request, responseFormat }, callOptions, signal)
    } catch (error) {
      if (!refusesFormat(error)) throw error
      lacksFormats = true
      return call(request, callOptions, signal)
    }
  }

  return (request, callOptions) =>
    withDeadline({ signal: callOptions.signal, timeout, modelId }, (signal) =>
      callShaped(request, callOptions, signal),
    )
}
