/**
 * The data of a provider: a reply may have some, its message keeps it, and the driver that made it is given it back.
 * Nothing else of the library reads it.
 */
import type { ChatModel, ModelReply } from '../chat-model.ts'
import type { CalledModel } from '../../errors.ts'
import { withFiles } from '../content/content.ts'
import type { JsonValue } from '../values/json.ts'
import type { CallVerdicts, AssistantMessage, Message, ToolCall } from '../message.ts'

/** A reply with the provider of the model that its data comes from. */
export interface SignedReply extends ModelReply {
  /** The verdicts on its calls; for a decision on the calls that its text asks for. */
  readonly verdicts?: CallVerdicts
  readonly provider?: string
  /** The model that was called, where its agent has several. */
  readonly called?: CalledModel | undefined
}

/** The reply with the name of its provider, where the message of the reply has something to give back. */
export function signed<Reply extends ModelReply>(reply: Reply, { provider }: ChatModel): Reply & SignedReply {
  const hasData =
    reply.providerData !== undefined ||
    (reply.keepReasoning === true && reply.reasoning !== undefined) ||
    reply.toolCalls.some((call) => call.providerData !== undefined)
  return hasData ? { ...reply, provider } : reply
}

/** The message of a reply. `calls`: its calls, with the ids that they have in the conversation. */
export function messageOf(reply: SignedReply, calls: readonly ToolCall[]): AssistantMessage {
  const { provider, providerData, keepReasoning, reasoning, files } = reply
  return {
    role: 'assistant',
    content: withFiles(reply.text, files),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(provider === undefined ? {} : { provider }),
    ...(keepReasoning === undefined || reasoning === undefined ? {} : { reasoning }),
    ...(providerData === undefined ? {} : { providerData }),
  }
}

/** The reply as everything but its message may see it. */
export function unsigned(reply: SignedReply): ModelReply {
  const { provider, verdicts, called } = reply
  if (provider === undefined && verdicts === undefined && called === undefined) return reply
  const {
    provider: _provider,
    providerData: _data,
    keepReasoning: _keep,
    verdicts: _verdicts,
    called: _called,
    ...rest
  } = reply
  return { ...rest, toolCalls: rest.toolCalls.map(withoutData) }
}

export function withoutData(call: ToolCall): ToolCall {
  if (call.providerData === undefined) return call
  const { providerData: _data, ...rest } = call
  return rest
}

/** The conversation as the model of a provider is given it: without the data of others. */
export function readableFor({ provider }: ChatModel, messages: readonly Message[]): readonly Message[] {
  const isForeign = (message: Message): boolean =>
    message.role === 'assistant' && message.provider !== undefined && message.provider !== provider
  return messages.some(isForeign)
    ? messages.map((message) => (isForeign(message) ? plain(message as AssistantMessage) : message))
    : messages
}

/** The message without data, reasoning and provider. */
export function plain({ role, content, toolCalls }: AssistantMessage): AssistantMessage {
  return { role, content, ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map(withoutData) }) }
}

interface Carrier {
  readonly providerData?: JsonValue
  readonly toolCalls?: readonly ToolCall[]
}

/** A message or reply, and its calls, without the data alone: the reasoning stays. */
export function bare<Carried extends Carrier>(carried: Carried): Carried {
  const { providerData, toolCalls } = carried
  const callsHaveData = toolCalls?.some((call) => call.providerData !== undefined) === true
  if (providerData === undefined && !callsHaveData) return carried
  const { providerData: _data, ...rest } = carried
  return { ...rest, ...(callsHaveData ? { toolCalls: toolCalls.map(withoutData) } : {}) } as Carried
}
