/** Checks of requests that the SDK does not make. Each throws a `RequestMalformedError`. */
import { Role, type Message } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { excessOf, mostParts } from '../../actors/values/measure.ts'

/** A message has a role and parts, as many as its conversation can hold. The transports of the SDK do not count. */
export function assertMessage(message: Message | undefined): void {
  if (message === undefined) return // the SDK refuses it
  if (message.role !== Role.ROLE_USER) throw new RequestMalformedError('message.role must be ROLE_USER.')
  if (message.parts.length === 0) throw new RequestMalformedError('message.parts must have a part.')
  if (message.parts.length > mostParts)
    throw new RequestMalformedError(`message.parts must have at most ${mostParts} parts.`)
  const data = message.parts.map(({ content }): unknown => (content?.$case === 'data' ? content.value : null))
  const excess = excessOf([data, message.metadata])
  if (excess !== undefined)
    throw new RequestMalformedError(`message must have at most ${excess.most} ${excess.of}.`)
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
