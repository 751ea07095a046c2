/** Checks of requests. Each throws an error of the protocol. */
import { isAmong } from '../../kit/index.ts'
import { excessOf, mostParts } from '../../kit/wire/index.ts'
import { Role, TaskState, type AgentCard, type ListTasksRequest, type Message, type Part } from '@a2a-js/sdk'
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors'

/** A message has a role and parts, as many as its conversation can hold. The transports of the SDK do not count. */
export function assertMessage(message: Message | undefined, card: AgentCard): Message {
  if (message === undefined) throw new RequestMalformedError('message is missing.')
  if (message.messageId === '') throw new RequestMalformedError('message.messageId is missing.')
  if (message.role !== Role.ROLE_USER) throw new RequestMalformedError('message.role must be ROLE_USER.')
  if (message.parts.length === 0) throw new RequestMalformedError('message.parts must have a part.')
  if (message.parts.length > mostParts)
    throw new RequestMalformedError(`message.parts must have at most ${mostParts} parts.`)
  const data = message.parts.map(({ content }): unknown => (content?.$case === 'data' ? content.value : null))
  const excess = excessOf([data, message.metadata])
  if (excess !== undefined)
    throw new RequestMalformedError(`message must have at most ${excess.most} ${excess.of}.`)
  assertAccepted(message.parts, card)
  return message
}

/** Texts, and data as answers, are always taken: the card says which files are. */
function assertAccepted(parts: readonly Part[], { defaultInputModes, skills }: AgentCard): void {
  const accepted = [...defaultInputModes, ...skills.flatMap(({ inputModes }) => inputModes)]
  for (const { content, mediaType } of parts) {
    const isFile = content?.$case === 'raw' || content?.$case === 'url'
    const [type = ''] = (mediaType || 'application/octet-stream').split(';')
    if (isFile && !isAmong(type.trim(), accepted))
      throw new ContentTypeNotSupportedError('The agent does not take files of this type.')
  }
}

export function assertHistoryLength(length: number | undefined): void {
  if (length !== undefined && length < 0)
    throw new RequestMalformedError('historyLength must not be negative.')
}

export function assertList({ pageSize = 1, status, statusTimestampAfter }: ListTasksRequest): void {
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100)
    throw new RequestMalformedError('pageSize must be a number from 1 to 100.')
  if (status === TaskState.UNRECOGNIZED || TaskState[status] === undefined)
    throw new RequestMalformedError('status must be a state of tasks.')
  // The engine reads more forms of dates than the protocol has.
  if (statusTimestampAfter && !isTimestamp(statusTimestampAfter))
    throw new RequestMalformedError('statusTimestampAfter must be a timestamp of ISO 8601.')
}

function isTimestamp(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))
}
