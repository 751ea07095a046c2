/**
 * The driver over the official `openai` client, for OpenAI and for every server that speaks one of its two APIs
 * (Ollama, vLLM, LM Studio, llama.cpp, gateways). It calls once and never retries: the statechart does.
 */
import type { ChatModel } from '../chat-model.ts'
import { readModelOptions } from './check-options.ts'
import type { OpenAIOptions } from './shared/options.ts'

/**
 * A chat model over Chat Completions, or with `api: 'responses'` over the Responses API, where nothing is stored at
 * the server. It streams where the caller listens to deltas.
 *
 * The key comes from `apiKey` or `OPENAI_API_KEY`, the server from `baseURL` or `OPENAI_BASE_URL`; a call takes at
 * most `timeout` milliseconds (120000), its stream included. Throws a `ConfigurationError` for an empty model id or
 * an option out of range or not of the API. Calls reject with a `RetryableError` (`RATE_LIMITED`, `MODEL_UNAVAILABLE`,
 * `MODEL_UNREACHABLE`, `MODEL_TIMEOUT`, `MODEL_STREAM_CUT`, `MODEL_STREAM_INCOMPLETE`, `MODEL_REPLY_INCOMPLETE`,
 * `MODEL_REPLY_INVALID`), a `TerminalError` (`FILE_NOT_ACCEPTED`, `MODEL_REPLY_TOO_LARGE`, `MISSING_API_KEY`, `UNAUTHORISED`,
 * `ENDPOINT_NOT_FOUND`, `MODEL_NOT_FOUND`, `QUOTA_EXCEEDED`, `CONTEXT_LENGTH_EXCEEDED`, `CONTENT_FILTERED`, `INVALID_REQUEST`) or a
 * `CancelledError`.
 */
export function openai(modelId: string, options: OpenAIOptions = {}): ChatModel {
  const read = readModelOptions(modelId, options)
  let generate: Promise<ChatModel['generate']> | undefined

  async function load(): Promise<ChatModel['generate']> {
    const { createGenerate } = await import('./generate.ts')
    return createGenerate(modelId, read)
  }

  return {
    provider: 'openai',
    modelId,
    ...(read.accepts === undefined ? {} : { accepts: read.accepts }),
    async generate(request, callOptions) {
      generate ??= load()
      return (await generate)(request, callOptions)
    },
  }
}
