/**
 * The driver over the official `openai` client, for OpenAI and for every server that speaks one of its two APIs
 * (Ollama, vLLM, LM Studio, llama.cpp, gateways). It calls once and never retries: that is the statechart's part.
 */
import type { OpenAI } from 'openai'
import type { ChatModel, ModelCallOptions, ModelReply, ModelRequest } from '../chat-model.ts'
import type { Api } from './api.ts'
import { checkOptions } from './check-options.ts'
import { chat } from './chat/chat.ts'
import { createClient, redactor } from './client.ts'
import { withDeadline } from './deadline.ts'
import { deltaEmitter } from './deltas.ts'
import { toModelError } from './errors.ts'
import { defaultTimeout, longestTimeout, type ApiName, type OpenAIOptions } from './options.ts'
import { refusesFormat } from './response-format.ts'
import { responses } from './responses/responses.ts'

const apis: Readonly<Record<ApiName, Api>> = { chat, responses }

/**
 * A chat model over Chat Completions, or with `api: 'responses'` over the Responses API, where nothing is stored at
 * the server. It streams where the caller listens to deltas.
 *
 * The key comes from `apiKey` or `OPENAI_API_KEY`, the server from `baseURL` or `OPENAI_BASE_URL`; a call takes at
 * most `timeout` milliseconds (120000), its stream included. Throws a `ConfigurationError` for an empty model id or
 * an option out of range or not of the API. Calls reject with a `RetryableError` (`RATE_LIMITED`, `MODEL_UNAVAILABLE`,
 * `MODEL_UNREACHABLE`, `MODEL_TIMEOUT`, `MODEL_STREAM_CUT`, `MODEL_STREAM_INCOMPLETE`, `MODEL_REPLY_INCOMPLETE`,
 * `MODEL_REPLY_INVALID`), a `TerminalError` (`MISSING_API_KEY`, `UNAUTHORISED`, `MODEL_NOT_FOUND`, `QUOTA_EXCEEDED`,
 * `CONTEXT_LENGTH_EXCEEDED`, `CONTENT_FILTERED`, `INVALID_REQUEST`) or a `CancelledError`.
 */
export function openai(modelId: string, options: OpenAIOptions = {}): ChatModel {
  checkOptions(modelId, options)
  const api = apis[options.api ?? 'chat']
  const timeout = options.timeout ?? defaultTimeout
  let client = options.client
  /** The server has refused a shape once: from then on the instructions and the check of the answer must do. */
  let lacksFormats = false

  async function call(
    request: ModelRequest,
    { idempotencyKey, onDelta }: ModelCallOptions,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    let isStreaming = false
    try {
      client ??= await createClient(options)
      const context = { modelId, redact: redactor(client) }
      const requestOptions: OpenAI.RequestOptions = {
        maxRetries: 0,
        timeout: Math.min(timeout + 1000, longestTimeout), // the client's timer must not be faster than ours
        signal,
        idempotencyKey,
      }
      const apiCall = { modelId, request, settings: options, options: requestOptions }
      if (onDelta === undefined) return api.readReply(await api.send(client, apiCall), context)
      const events = await api.sendStreaming(client, apiCall)
      isStreaming = true
      return await api.collectStream(events, deltaEmitter(onDelta, signal), context)
    } catch (error) {
      throw toModelError(error, { modelId, redact: redactor(client) }, isStreaming)
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

  return {
    provider: 'openai',
    modelId,
    generate: (request, callOptions) =>
      withDeadline({ signal: callOptions.signal, timeout, modelId }, (signal) =>
        callShaped(request, callOptions, signal),
      ),
  }
}
