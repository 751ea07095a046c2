/** The `openai` client of a model: the package is loaded, and the environment read, when the first call needs it. */
import type { OpenAI } from 'openai'
import { TerminalError } from '../../errors.ts'
import type { OpenAIOptions } from './options.ts'

/** The client insists on a key; servers on one's own machine ask for none. */
const noKey = 'not-needed'

export async function createClient(options: OpenAIOptions): Promise<OpenAI> {
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
  // What the client would print, our errors say; who wants its log all the same sets OPENAI_LOG.
  const logLevel = environment('OPENAI_LOG') === undefined ? 'off' : undefined
  return new OpenAI({ apiKey: apiKey ?? noKey, baseURL, maxRetries: 0, logLevel })
}

/** Takes the client's API key out of a text. */
export function redactor(client: OpenAI | undefined): (text: string) => string {
  const key = client?.apiKey?.trim() ?? ''
  // A key as short as "ollama" is a placeholder: it protects nothing, and it may be a word of the message.
  if (key.length < shortestSecret || key === noKey) return (text) => text
  return (text) => text.replaceAll(key, '[API key]')
}

const shortestSecret = 8

function environment(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env[name]?.trim() || undefined
}
