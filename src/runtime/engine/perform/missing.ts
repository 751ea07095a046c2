/** Functions given per call are not durable: a run that lacks them says so. */
import { ConfigurationError } from '../../../errors.ts'

export function missing(what: string): never {
  throw new ConfigurationError(
    `The function ${what} of this run is not here: options with functions are not durable, hand them in again.`,
  )
}
