/**
 * The driver over the official `openai` client, for OpenAI and for every server that speaks Chat Completions
 * (Ollama, vLLM, LM Studio, llama.cpp, gateways). It calls once and never retries: that is the statechart's part.
 */
import type { OpenAI } from 'openai'
import type { ChatModel, ModelCallOptions, ModelReply, ModelRequest } from '../chat-model.ts'
import { createClient, redactor } from './client.ts'
import { withDeadline } from './deadline.ts'
import { toModelError } from './errors.ts'
import { checkOptions, defaultTimeout, longestTimeout, type OpenAIOptions } from './options.ts'
import { readCompletion } from './reply.ts'
import { toParams } from './request.ts'
import { collectStream, deltaEmitter } from './stream.ts'

/**
 * A chat model over the Chat Completions API; it streams where the caller listens to deltas.
 *
 * The key comes from `apiKey` or `OPENAI_API_KEY`, the server from `baseURL` or `OPENAI_BASE_URL`; a call takes at
 * most `timeout` milliseconds (120000), its stream included. Throws a `ConfigurationError` for an empty model id or
 * an option out of range. Calls reject with a `RetryableError` (`RATE_LIMITED`, `MODEL_UNAVAILABLE`,
 * `MODEL_UNREACHABLE`, `MODEL_TIMEOUT`, `MODEL_STREAM_CUT`, `MODEL_STREAM_INCOMPLETE`, `MODEL_REPLY_INCOMPLETE`,
 * `MODEL_REPLY_INVALID`), a `TerminalError` (`MISSING_API_KEY`, `UNAUTHORISED`, `MODEL_NOT_FOUND`, `QUOTA_EXCEEDED`,
 * `CONTEXT_LENGTH_EXCEEDED`, `CONTENT_FILTERED`, `INVALID_REQUEST`) or a `CancelledError`.
 */
export function openai(modelId: string, options: OpenAIOptions = {}): ChatModel {
  checkOptions(modelId, options)
  const timeout = options.timeout ?? defaultTimeout
  let client = options.client

  async function call(
    request: ModelRequest,
    { idempotencyKey, onDelta }: ModelCallOptions,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    let isStreaming = false
    try {
      client ??= await createClient(options)
      const context = { modelId, redact: redactor(client) }
      const params = toParams(modelId, request, options, client.baseURL)
      const requestOptions: OpenAI.RequestOptions = {
        maxRetries: 0,
        timeout: Math.min(timeout + 1000, longestTimeout), // the client's timer must not be faster than ours
        signal,
        idempotencyKey,
      }
      if (onDelta === undefined) {
        const completion = await client.chat.completions.create({ ...params, stream: false }, requestOptions)
        return readCompletion(completion, context)
      }
      const chunks = await client.chat.completions.create(
        { stream_options: { include_usage: true }, ...params, stream: true },
        requestOptions,
      )
      isStreaming = true
      return await collectStream(chunks, deltaEmitter(onDelta, signal), context)
    } catch (error) {
      throw toModelError(error, { modelId, redact: redactor(client) }, isStreaming)
    }
  }

  return {
    provider: 'openai',
    modelId,
    generate: (request, callOptions) =>
      withDeadline({ signal: callOptions.signal, timeout, modelId }, (signal) =>
        call(request, callOptions, signal),
      ),
  }
}
