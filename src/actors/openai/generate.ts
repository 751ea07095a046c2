/**
 * The calls of one model. They need most of the driver, so the first of them loads this module, like the client:
 * `import 'troupe'` stays cheap for programs that only define agents.
 */
import type { OpenAI } from 'openai'
import type { ChatModel, ModelCallOptions, ModelReply, ModelRequest } from '../chat-model.ts'
import type { Api, Sent } from './shared/api.ts'
import { chat } from './chat/chat.ts'
import { createClients, endpointOf, noteSecrets, type Clients } from './client.ts'
import { withDeadline } from './http/deadline.ts'
import { endingWith } from './http/guarded-fetch.ts'
import { readReply } from './http/read-reply.ts'
import { deltaEmitter } from './shared/deltas.ts'
import { MessageTexts } from './shared/message-texts.ts'
import { toModelError } from './failures/errors.ts'
import {
  defaultMaxReplyBytes,
  defaultTimeout,
  longestTimeout,
  type ApiName,
  type OpenAIOptions,
} from './shared/options.ts'
import { withOrigin, withOwnData, type Origin } from './shared/origin.ts'
import { ToolTexts } from './shared/tool-texts.ts'
import { quirkOf, type Quirk, type Quirks } from './shared/quirks.ts'
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
  const texts = { messages: new MessageTexts(), tools: new ToolTexts() }
  let clients: Clients | undefined
  let creating: Promise<Clients> | undefined
  /** The quirks that the server has shown. */
  const learned = new Set<Quirk>()

  async function call(
    request: ModelRequest,
    { idempotencyKey, onDelta }: ModelCallOptions,
    signal: AbortSignal,
    quirks: Quirks,
  ): Promise<ModelReply> {
    let isStreaming = false
    try {
      clients ??= await sharedClients()
      const isWhole = onDelta === undefined
      const requestOptions: OpenAI.RequestOptions = {
        maxRetries: 0,
        timeout: Math.min(timeout + 1000, longestTimeout), // the client's timer must not be faster than ours
        idempotencyKey,
        ...(isWhole && clients.isPlain ? endingWith(signal) : { signal }),
      }
      const origin = originOf(clients.whole)
      const own = { ...request, messages: withOwnData(request.messages, origin) }
      const apiCall = {
        modelId,
        request: own,
        settings: options,
        options: requestOptions,
        quirks,
        texts: clients.isPlain ? texts : undefined,
      }
      if (isWhole) {
        const body = await bodyOf(api.send(clients.whole, apiCall), clients.isPlain)
        return withOrigin(api.readReply(body, context), origin)
      }
      const events = await api.sendStreaming(clients.streaming, apiCall)
      isStreaming = true
      return withOrigin(await collect(api, events, deltaEmitter(onDelta, signal), context), origin)
    } catch (error) {
      if (clients !== undefined) noteSecrets(clients.whole, secrets)
      throw toModelError(error, context, isStreaming)
    }
  }

  /** Calls that begin at once share the clients; where there are none, the next call tries again. */
  async function sharedClients(): Promise<Clients> {
    creating ??= createClients(options, guard)
    try {
      return await creating
    } catch (error) {
      creating = undefined
      throw error
    }
  }

  function originOf({ baseURL }: OpenAI): Origin {
    const server = typeof baseURL === 'string' ? URL.parse(baseURL)?.host : undefined
    return { api: options.api ?? 'chat', model: modelId, ...(server === undefined ? {} : { server }) }
  }

  /** Sends a request that the server refuses in its form again in another; each form is tried once. */
  async function callInAnyForm(
    request: ModelRequest,
    callOptions: ModelCallOptions,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const tried = new Set(learned)
    for (;;) {
      try {
        const reply = await call(request, callOptions, signal, tried)
        for (const quirk of tried) learned.add(quirk)
        return reply
      } catch (error) {
        const quirk = quirkOf(
          error,
          request,
          api.quirks.filter((one) => !tried.has(one)),
        )
        if (quirk === undefined) throw error
        tried.add(quirk)
      }
    }
  }

  return (request, callOptions) =>
    withDeadline({ signal: callOptions.signal, timeout, modelId }, (signal) =>
      callInAnyForm(request, callOptions, signal),
    )
}

/** `isPlain`: the client has left the body to be read here, unless a method that was replaced on its class has read it. */
async function bodyOf(sent: Sent, isPlain: boolean): Promise<unknown> {
  if (!isPlain || typeof sent.asResponse !== 'function') return sent
  const response = await sent.asResponse()
  return response.bodyUsed ? sent : readReply(response)
}
