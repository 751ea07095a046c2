/** The `openai` client of a model: the package is loaded, and the environment read, when the first call needs it. */
import type { OpenAI } from 'openai'
import { TerminalError } from '../../errors.ts'
import { limitedFetch, plainFetch, type Fetch, type FetchGuard } from './http/guarded-fetch.ts'
import type { ApiName, OpenAIOptions } from './shared/options.ts'
import { noKey, type Secrets } from './http/secrets.ts'

/** The clients of a model: they differ in how they treat a reply that is one JSON body. */
export interface Clients {
  readonly whole: OpenAI
  readonly streaming: OpenAI
  /**
   * They are of the class `OpenAI` itself, as it comes, over a `fetch` of ours: they send a body that is a text already, hand out the
   * response, and leave the signal to that `fetch`. Another class may read or change any of these.
   */
  readonly isPlain: boolean
}

/** Throws a `TerminalError` where there is neither a key nor an address. */
export async function createClients(options: OpenAIOptions, guard: FetchGuard): Promise<Clients> {
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
export function noteSecrets(client: OpenAI, secrets: Secrets): void {
  secrets.addKey(client.apiKey)
  secrets.addKey(client.adminAPIKey)
  if (typeof client.baseURL === 'string') secrets.addUrl(client.baseURL)
}

/** The address of an API of the client's server, without credentials and parameters. */
export function endpointOf(client: OpenAI, path: string): string | undefined {
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

function environment(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env[name]?.trim() || undefined
}
