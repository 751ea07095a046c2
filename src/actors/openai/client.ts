/** The `openai` client of a model: the package is loaded, and the environment read, when the first call needs it. */
import type { OpenAI } from 'openai'
import { TerminalError } from '../../errors.ts'
import { streamingFetch, wholeFetch, type Fetch, type FetchGuard } from './http/guarded-fetch.ts'
import type { OpenAIOptions } from './shared/options.ts'
import { noKey, type Secrets } from './http/secrets.ts'

/** The clients of a model: they differ in how they treat a reply that is one JSON body. */
export interface Clients {
  readonly whole: OpenAI
  readonly streaming: OpenAI
  /** Whether their `fetch` is ours: then replies are read here, and the signal of a call goes past the client. */
  readonly isGuarded: boolean
  /** Whether the clients send a body that is a text already; some classes of clients read or change the body. */
  readonly takesText: boolean
}

/** Throws a `TerminalError` where there is neither a key nor an address. */
export async function createClients(options: OpenAIOptions, guard: FetchGuard): Promise<Clients> {
  const client = options.client ?? (await createClient(options))
  noteSecrets(client, guard.secrets)
  const fetch = fetchOf(client)
  if (fetch === undefined) return unguarded(client)
  try {
    return {
      whole: client.withOptions({ fetch: wholeFetch(fetch, guard) }),
      streaming: client.withOptions({ fetch: streamingFetch(fetch, guard) }),
      isGuarded: true,
      takesText: isOfBaseClass(client),
    }
  } catch {
    return { ...unguarded(client), takesText: isOfBaseClass(client) } // its way to authenticate allows no other `fetch`
  }
}

function unguarded(client: OpenAI): Clients {
  return { whole: client, streaming: client, isGuarded: false, takesText: false }
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
