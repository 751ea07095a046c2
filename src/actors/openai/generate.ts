/**
 * The calls of one model. They need most of the driver, so the first of them loads this module, like the client:
 * `import 'troupe'` stays cheap for programs that only define agents.
 */
import type { OpenAI } from 'openai'
import type { ChatModel, ModelCallOptions, ModelReply, ModelRequest } from '../chat-model.ts'
import type { Api, Sent } from './shared/api.ts'
import { environment } from './shared/server.ts'
import { chat } from './chat/chat.ts'
import { withDeadline } from './http/deadline.ts'
import {
  endingWith,
  isDone,
  limitedFetch,
  plainFetch,
  readReply,
  type Fetch,
  type FetchGuard,
} from './http/guarded-fetch.ts'
import { deltaEmitter, partingThoughts, type EmitDelta } from './shared/deltas.ts'
import { MessageTexts, ToolTexts } from './shared/body-text.ts'
import { toModelError, type CallContext } from './failures/errors.ts'
import {
  defaultMaxReplyBytes,
  defaultTimeout,
  longestTimeout,
  type ApiName,
  type OpenAIOptions,
} from './shared/options.ts'
import { withOrigin, withOwnData, type Origin } from './shared/origin.ts'
import { LearnedQuirks } from './shared/learned-quirks.ts'
import type { Quirks } from './shared/quirks.ts'
import { responses } from './responses/responses.ts'
import { Secrets, noKey } from './http/secrets.ts'
import { TerminalError } from '../../errors.ts'
import { isRecord } from '../values/json.ts'

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
  const learned = new LearnedQuirks(api.quirks)

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
      const sent = api.sendStreaming(clients.streaming, apiCall)
      const events = await sent
      isStreaming = true
      const response = await responseOf(sent)
      const watched = { ...context, isDone: () => response !== undefined && isDone(response) }
      return withOrigin(await collect(api, events, deltaEmitter(onDelta, signal), watched), origin)
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

  return (request, callOptions) =>
    withDeadline({ signal: callOptions.signal, timeout, modelId }, (signal) =>
      callInAnyForm(request, callOptions, signal),
    )
}

// Reads the reply to a streaming request: a stream, or, of a server that does not stream, one event with all of it.

/** Throws as `readReply` and `collectStream` do. */
async function collect(
  api: Api,
  events: AsyncIterable<unknown>,
  emit: EmitDelta,
  context: CallContext,
): Promise<ModelReply> {
  const iterator = events[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done !== true && isRecord(first.value) && api.isWhole(first.value)) {
    const reply = api.readReply(first.value, context)
    emit({ type: 'reasoning', text: reply.reasoning ?? '' })
    emit({ type: 'text', text: reply.text })
    await iterator.return?.()
    return reply
  }
  const parting = partingThoughts(emit)
  const reply = await api.collectStream(beginningWith(first, iterator), parting.emit, context)
  parting.end()
  return reply
}

/** `undefined` of a client whose methods were replaced. */
async function responseOf(sent: object): Promise<Response | undefined> {
  const { asResponse } = sent as Partial<Sent>
  const response: unknown = typeof asResponse === 'function' ? await asResponse.call(sent) : undefined
  return response instanceof Response ? response : undefined
}

async function* beginningWith(
  first: IteratorResult<unknown>,
  iterator: AsyncIterator<unknown>,
): AsyncGenerator {
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}

// The `openai` client of a model: the package is loaded, and the environment read, when the first call needs it.

/** The clients of a model: they differ in how they treat a reply that is one JSON body. */
interface Clients {
  readonly whole: OpenAI
  readonly streaming: OpenAI
  /**
   * They are of the class `OpenAI` itself, as it comes, over a `fetch` of ours: they send a body that is a text already, hand out the
   * response, and leave the signal to that `fetch`. Another class may read or change any of these.
   */
  readonly isPlain: boolean
}

/** Throws a `TerminalError` where there is neither a key nor an address. */
async function createClients(options: OpenAIOptions, guard: FetchGuard): Promise<Clients> {
  const client = options.client ?? (await createClient(options))
  noteSecrets(client, guard.secrets)
  const fetch = fetchOf(client)
  const itself = { whole: client, streaming: client, isPlain: false }
  if (fetch === undefined) return itself
  const isPlain = isOfBaseClass(client) && leavesSignal(client) && sendsItself(client, options.api ?? 'chat')
  const whole = isPlain ? plainFetch(fetch, guard) : limitedFetch(fetch, guard, false)
  try {
    return {
      whole: client.withOptions({ fetch: whole }),
      streaming: client.withOptions({ fetch: limitedFetch(fetch, guard, true) }),
      isPlain,
    }
  } catch {
    return itself // its way to authenticate allows no other `fetch`
  }
}

/** Notes the secrets of a client; called after a call too, as a function may supply the key. */
function noteSecrets(client: OpenAI, secrets: Secrets): void {
  secrets.addKey(client.apiKey)
  secrets.addKey(client.adminAPIKey)
  if (typeof client.baseURL === 'string') secrets.addUrl(client.baseURL)
}

/** The address of an API of the client's server, without credentials and parameters. */
function endpointOf(client: OpenAI, path: string): string | undefined {
  const base = typeof client.baseURL === 'string' ? URL.parse(client.baseURL) : null
  return base === null ? undefined : `${base.origin}${base.pathname.replace(/\/$/, '')}${path}`
}

/** `undefined` where methods of the client were replaced, for example to trace calls: a copy would lack them. */
function fetchOf(client: OpenAI): Fetch | undefined {
  const fetch: unknown = Reflect.get(client, 'fetch')
  const isItself =
    isOfItsClass(client, 'withOptions') &&
    isOfItsClass(client, 'post') &&
    isOfItsClass(client.chat?.completions, 'create')
  return isItself && typeof fetch === 'function' ? (fetch as Fetch) : undefined
}

/** The client of Azure extends `OpenAI`, and reads the model in the body. */
function isOfBaseClass(client: OpenAI): boolean {
  const itsClass: unknown = Object.getPrototypeOf(client)
  return itsClass !== null && Object.getPrototypeOf(itsClass) === Object.prototype
}

/** Whether nothing but the call has a signal: an option of the client may have one, and a provider waits with that of a call. */
function leavesSignal(client: OpenAI): boolean {
  const options = Reflect.get(client, 'fetchOptions') as RequestInit | undefined
  return options?.signal === undefined && Reflect.get(client, '_provider') === undefined
}

/**
 * Whether the method that sends a chat is the one of the package, which names its path. A package that traces calls replaces
 * it on its class, and must see the calls. A call of the Responses API is always posted.
 */
function sendsItself(client: OpenAI, api: ApiName): boolean {
  return (
    api !== 'chat' || String(Reflect.get(client.chat.completions, 'create')).includes('/chat/completions')
  )
}

function isOfItsClass(object: object | undefined, method: string): boolean {
  const itsClass: unknown = object && Object.getPrototypeOf(object)
  if (object === undefined || typeof itsClass !== 'object' || itsClass === null) return false
  const own: unknown = Reflect.get(object, method)
  return typeof own === 'function' && own === Reflect.get(itsClass, method)
}

async function createClient(options: OpenAIOptions): Promise<OpenAI> {
  const apiKey = options.apiKey?.trim() || environment('OPENAI_API_KEY')
  const baseURL = options.baseURL ?? environment('OPENAI_BASE_URL')
  if (apiKey === undefined && baseURL === undefined) {
    throw new TerminalError(
      'There is no API key for OpenAI: set the environment variable OPENAI_API_KEY, or pass ' +
        'openai(modelId, { apiKey }). A server that needs no key is given by { baseURL } or OPENAI_BASE_URL.',
      { code: 'MISSING_API_KEY' },
    )
  }
  const { OpenAI } = await import('openai')
  // Our errors contain all that the client would print; OPENAI_LOG turns its log on all the same.
  const logLevel = environment('OPENAI_LOG') === undefined ? 'off' : undefined
  const { fetch } = options
  // A page with a server of its own to speak to has no key of OpenAI's; any other is refused, so that no key is in a page.
  const dangerouslyAllowBrowser = options.baseURL !== undefined
  return new OpenAI({
    apiKey: apiKey ?? noKey,
    baseURL,
    maxRetries: 0,
    logLevel,
    fetch,
    dangerouslyAllowBrowser,
  })
}

/** `isPlain`: the client has left the body to be read here, unless a method that was replaced on its class has read it. */
async function bodyOf(sent: Sent, isPlain: boolean): Promise<unknown> {
  if (!isPlain || typeof sent.asResponse !== 'function') return sent
  const response = await sent.asResponse()
  return response.bodyUsed ? sent : readReply(response)
}
