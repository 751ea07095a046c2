/**
 * The server and the model that the data of a message comes from. `openai()` speaks to servers of many providers: data
 * goes back to the model that made it, or to another model at the same server, and to no other.
 */
import type { ModelReply } from '../../chat-model.ts'
import type { Message } from '../../message.ts'
import { plain } from '../../messages/provider-data.ts'
import { isRecord, type JsonValue } from '../../values/json.ts'
import type { ApiName } from './options.ts'

export interface Origin {
  readonly api: ApiName
  readonly model: string
  /** Host and port; absent where the client does not tell its address. */
  readonly server?: string
}

/** The reply with its origin, where it has data. */
export function withOrigin(reply: ModelReply, origin: Origin): ModelReply {
  const { providerData, toolCalls } = reply
  if (providerData === undefined && toolCalls.every((call) => call.providerData === undefined)) return reply
  const data = isRecord(providerData) ? (providerData as Record<string, JsonValue>) : {}
  return { ...reply, providerData: { ...origin, ...data } }
}

/** The conversation without the data of other servers. */
export function withOwnData(messages: readonly Message[], origin: Origin): readonly Message[] {
  return messages.map((message) =>
    message.role !== 'assistant' || message.provider === undefined || isOwn(message.providerData, origin)
      ? message
      : plain(message),
  )
}

function isOwn(data: unknown, { api, model, server }: Origin): boolean {
  if (!isRecord(data) || data['api'] !== api) return false
  return data['model'] === model || (server !== undefined && data['server'] === server)
}
