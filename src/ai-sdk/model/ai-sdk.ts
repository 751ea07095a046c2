/**
 * A language model of the AI SDK as a model of agents. Each request is one call of the provider, which is never asked
 * twice for it: the statechart retries.
 */
import type { ChatModel, FileUrl, Message, ModelCallOptions, ModelReply, ModelRequest } from '../../index.ts'
import { filesOf, isAmong, withDeadline } from '../../kit/index.ts'
import { defaultTimeout, LearnedQuirks, notAccepted, partedEmitter, type Quirks } from '../../kit/host.ts'
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { readPart, readSources } from './content.ts'
import { toModelError } from './errors.ts'
import { imageToolsOf } from './made-images.ts'
import { readModelOptions, samplingOf, type AiSdkOptions } from './options.ts'
import { toReply, type ReplyEnd } from './reply.ts'
import { toCallOptions } from './request.ts'
import { checkModel, type AiSdkModel } from './specification.ts'
import { collectStream } from './stream.ts'

/**
 * A chat model over a language model of any AI SDK provider, of version 3 or 4 of their specification:
 * `aiSdk(anthropic('claude-sonnet-4-5'))`. It streams where the caller listens to deltas; what the provider says about
 * the parts of a reply goes back to it with the next request.
 *
 * A call takes at most `timeout` milliseconds (120000), its stream included. Throws a `ConfigurationError` for a value
 * that is no such model, and for an option that is unknown or out of range. Calls reject with a `RetryableError`, where
 * the AI SDK calls the error retryable, where a connection or a stream is cut, and where a reply is not complete; with
 * a `TerminalError`, also `FILE_NOT_ACCEPTED` for a file that the provider does not take; or with a `CancelledError`. The
 * codes are those of `openai()`.
 */
export function aiSdk(model: AiSdkModel, options: AiSdkOptions = {}): ChatModel {
  const checked = checkModel(model)
  const read = readModelOptions(checked, options)
  const { provider, modelId } = checked
  const { timeout = defaultTimeout } = read
  const source = { model: modelId, images: imageToolsOf(read) }
  const learned = new LearnedQuirks()

  async function call(
    request: ModelRequest,
    { idempotencyKey, onDelta }: ModelCallOptions,
    signal: AbortSignal,
    quirks: Quirks,
  ): Promise<ModelReply> {
    let isStreaming = false
    try {
      await checkUrls(checked, request.messages)
      const callOptions = toCallOptions(request, read, checked, { signal, idempotencyKey, quirks })
      if (onDelta === undefined) return await generated(checked, request, callOptions, source)
      const { stream } = await checked.doStream(callOptions)
      isStreaming = true
      const parting = partedEmitter(onDelta, signal)
      const reply = await collectStream(stream, parting.emit, source)
      parting.end()
      return reply
    } catch (error) {
      throw toModelError(error, modelId, isStreaming)
    }
  }

  /** Sends a request whose schemas the server refuses again in another form; each form is tried once. */
  async function callInAnyForm(
    request: ModelRequest,
    callOptions: ModelCallOptions,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const tried = learned.of(request)
    for (;;) {
      try {
        const reply = await call(request, callOptions, signal, tried)
        learned.add(request, tried)
        return reply
      } catch (error) {
        const quirk = learned.shownBy(error, request, tried)
        if (quirk === undefined) throw error
        tried.add(quirk)
      }
    }
  }

  return {
    provider,
    modelId,
    ...(read.accepts === undefined ? {} : { accepts: read.accepts }),
    settings: samplingOf(read),
    generate: (request, callOptions) =>
      withDeadline({ signal: callOptions.signal, timeout, modelId }, (signal) =>
        callInAnyForm(request, callOptions, signal),
      ),
  }
}

/** Throws a `TerminalError` for a file by a URL that the model does not fetch. */
async function checkUrls(model: LanguageModelV4, messages: readonly Message[]): Promise<void> {
  const files = messages.flatMap(({ content }) => filesOf(content)).filter((file) => 'url' in file)
  if (files.length === 0) return
  const supported = Object.entries(await model.supportedUrls)
  const refused = files.find((file) => !supported.some((entry) => covers(entry, file)))
  if (refused !== undefined) throw notAccepted(refused, `Model "${model.modelId}"`)
}

/** `search` has no state, unlike `test` of a global expression. */
function covers(
  [type, patterns]: readonly [string, readonly RegExp[]],
  { mediaType, url }: FileUrl,
): boolean {
  return isAmong(mediaType, [type]) && patterns.some((pattern) => url.search(pattern) !== -1)
}

async function generated(
  model: LanguageModelV4,
  { responseFormat }: ModelRequest,
  callOptions: LanguageModelV4CallOptions,
  source: Pick<ReplyEnd, 'model' | 'images'>,
): Promise<ModelReply> {
  const { content, finishReason, usage, response, structuredOutputText } = await model.doGenerate(callOptions)
  const parts = content.flatMap((part) => readPart(part, model.modelId) ?? [])
  const answer = responseFormat === undefined ? undefined : structuredOutputText
  return toReply(parts, { ...source, finishReason, usage, response, sources: readSources(content), answer })
}
