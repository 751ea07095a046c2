/** The option `push` of `a2aHandler`. */
import { ConfigurationError } from '../../index.ts'
import {
  type Fields,
  type Reader,
  aFunction,
  defaultsOf,
  isRecord,
  milliseconds,
  optional,
  readOptions,
  required,
  withDefault,
} from '../../kit/index.ts'

/** How a handler sends push notifications. */
export interface A2aPushOptions {
  /**
   * The origins that notifications may go to, such as `https://hooks.example.com`, each with the secret of 16 characters or more
   * that signs those to it.
   */
  readonly origins: Readonly<Record<string, string>>
  /** Milliseconds that one request may take. Default: 10 000. */
  readonly timeout?: number
  /** Milliseconds before the first repetition of a request that failed for the moment. Each next wait is twice as long. Default: 1 000. */
  readonly retryDelay?: number
  /** Milliseconds after which a notification is given up. Default: 3 600 000. */
  readonly giveUpAfter?: number
  /** Makes the requests. Default: the one of the platform. */
  readonly fetch?: typeof fetch
}

export type PushSettings = Required<A2aPushOptions>

const shortestSecret = 16

const someOrigins: Reader = (given, where) => {
  if (!isRecord(given) || Object.keys(given).length === 0)
    throw new ConfigurationError(
      `${where} must be an object of secrets by origin, such as { 'https://hooks.example.com': … }.`,
    )
  for (const [origin, secret] of Object.entries(given)) {
    const url = URL.parse(origin)
    if (url === null || url.origin !== origin || !/^https?:$/.test(url.protocol))
      throw new ConfigurationError(
        `${where}: "${origin}" must be an origin, such as https://hooks.example.com.`,
      )
    if (typeof secret !== 'string' || secret.length < shortestSecret)
      throw new ConfigurationError(
        `${where}: the secret of "${origin}" must have ${shortestSecret} characters or more.`,
      )
  }
  return given
}

const fields = {
  origins: required(someOrigins),
  timeout: withDefault(milliseconds, 10_000),
  retryDelay: withDefault(milliseconds, 1_000),
  giveUpAfter: withDefault(milliseconds, 3_600_000),
  fetch: optional(aFunction),
} satisfies Fields<A2aPushOptions>

/** Throws a `ConfigurationError`. */
export function readPush(given: A2aPushOptions): PushSettings {
  const read = { ...defaultsOf(fields), ...readOptions<A2aPushOptions>(given, 'a2aHandler: push', fields) }
  return { fetch: (url, init) => fetch(url, init), ...read }
}
