/** Estimates the usage of a model call whose reply does not report it: one token for each four characters. */
import type { AppendLog } from '../../../actors/values/append-log.ts'
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { Message } from '../../../actors/message.ts'
import { charactersOf, charactersOfCalls, estimatedTokens } from '../../../actors/messages/size.ts'
import type { Usage } from '../../../actors/usage.ts'

/** A reply to a model call, or the summary that a model has written. */
export type Written = Pick<ModelReply, 'text' | 'usage'> &
  Partial<Pick<ModelReply, 'reasoning' | 'toolCalls'>>

/** Depends on nothing but the input and the reply, so that a replay estimates alike. */
export function estimatedUsage(
  { messages }: { readonly messages: AppendLog<Message> },
  reply: Written,
): Usage {
  const { text, reasoning = '', toolCalls = [], usage } = reply
  const written = text.length + reasoning.length + charactersOfCalls(toolCalls)
  // A reported count is kept where it is higher.
  const inputTokens = Math.max(usage.inputTokens, tokensOf(messages.sum(charactersOf)))
  const outputTokens = Math.max(usage.outputTokens, tokensOf(written))
  return { inputTokens, outputTokens, totalTokens: Math.max(usage.totalTokens, inputTokens + outputTokens) }
}

function tokensOf(characters: number): number {
  return Math.ceil(estimatedTokens(characters))
}
