/** Checks of requests that the SDK does not make. Each throws a `RequestMalformedError`. */
import { Role, type Message } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'

/** A message has a role and parts. */
export function assertMessage(message: Message | undefined): void {
  if (message === undefined) return // the SDK refuses it
  if (message.role !== Role.ROLE_USER) throw new RequestMalformedError('message.role must be ROLE_USER.')
  if (message.parts.length === 0) throw new RequestMalformedError('message.parts must have a part.')
}

export function assertHistoryLength(length: number | undefined): void {
  if (length !== undefined && length < 0)
    throw new RequestMalformedError('historyLength must not be negative.')
}

/** The engine reads more forms of dates than the protocol has. */
export function assertTimestamp(text: string | undefined): void {
  if (text !== undefined && text !== '' && !/^\d{4}-\d\d-\d\dT/.test(text))
    throw new RequestMalformedError('statusTimestampAfter must be a timestamp of ISO 8601.')
}
