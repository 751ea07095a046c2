/** The refusal of what needs an optional port that the store of a troupe lacks. */
import { ConfigurationError } from '../errors.ts'

/** The refusal of threads and working memory where the store has none. */
export function memoryNeeded(): ConfigurationError {
  return missingPort('Threads and working memory need', 'memory')
}

/** The refusal of run-time configuration where the store has none. */
export function configNeeded(): ConfigurationError {
  return missingPort('Run-time configuration needs', 'config')
}

/** `part`: what needs the port, or a method of it. */
export function missingPort(part: string, port: string): ConfigurationError {
  const message = `${part} a store with ${port}: memoryStore(), sqliteStore() and postgresStore() have it.`
  return new ConfigurationError(message, { code: 'STORE_LACKS_PORT' })
}
