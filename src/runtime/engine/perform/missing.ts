/** The error of a run that lacks a function: functions given per call are not durable. */
import { ConfigurationError } from '../../../errors.ts'

export function missing(what: string): never {
  throw new ConfigurationError(
    `The function ${what} of this run is not here: options with functions are not durable, hand them in again.`,
  )
}
