/** The server that a model asks: by its options, the environment, or the default of the client. */
import type { ModelServer } from '../../chat-model.ts'
import type { OpenAIOptions } from './options.ts'

const openAI = 'https://api.openai.com/v1'

/** `undefined`: the client does not tell its address. */
export function serverOf({ client, baseURL }: OpenAIOptions): ModelServer | undefined {
  const given: unknown =
    client === undefined ? (baseURL ?? environment('OPENAI_BASE_URL') ?? openAI) : client.baseURL
  const url = typeof given === 'string' ? URL.parse(given) : null
  if (url === null || url.hostname === '') return undefined
  const port = url.port === '' ? defaultPort(url.protocol) : Number(url.port)
  return { address: url.hostname.replace(/^\[(.*)\]$/, '$1'), port }
}

/** A variable of the environment, where there is one and it is not blank. */
export function environment(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env[name]?.trim() || undefined
}

function defaultPort(protocol: string): number {
  return protocol === 'http:' ? 80 : 443
}
