/** The refusal of what needs an optional port that the store of a troupe lacks. */
import { ConfigurationError } from '../errors.ts'

/** `part`: what needs the port, or a method of it. */
export function missingPort(part: string, port: string): ConfigurationError {
  const message = `${part} a store with ${port}: memoryStore(), sqliteStore() and postgresStore() have it.`
  return new ConfigurationError(message, { code: 'STORE_LACKS_PORT' })
}
