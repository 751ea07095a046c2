/** Estimates the usage of a model call whose reply does not report it: one token for each four characters. */
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { EffectInput } from '../../../actors/effect-kinds.ts'
import type { Content } from '../../../actors/content/content.ts'
import type { Message, ToolCall } from '../../../actors/message.ts'
import type { Usage } from '../../../actors/usage.ts'

const charactersPerToken = 4

/** A file counts as 1 000 tokens: an image of usual size takes 300 to 1 600. */
const charactersOfFile = 4_000

/** Depends on nothing but the input and the reply, so that a replay estimates alike. */
export function estimatedUsage({ messages }: EffectInput<'model'>, reply: ModelReply): Usage {
  const { text, reasoning = '', toolCalls, usage } = reply
  const written = text.length + reasoning.length + charactersOfCalls(toolCalls)
  // A reported count is kept where it is higher.
  const inputTokens = Math.max(usage.inputTokens, tokensOf(messages.sum(charactersOf)))
  const outputTokens = Math.max(usage.outputTokens, tokensOf(written))
  return { inputTokens, outputTokens, totalTokens: Math.max(usage.totalTokens, inputTokens + outputTokens) }
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

function charactersOf(message: Message): number {
  if (message.role !== 'assistant') return charactersOfContent(message.content)
  const { content, reasoning = '', toolCalls = [] } = message
  return charactersOfContent(content) + reasoning.length + charactersOfCalls(toolCalls)
}

function charactersOfContent(content: Content): number {
  if (typeof content === 'string') return content.length
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : charactersOfFile), 0)
}

function charactersOfCalls(calls: readonly ToolCall[]): number {
  return calls.reduce(
    (sum, { name, args, malformed }) => sum + name.length + (malformed ?? JSON.stringify(args)).length,
    0,
  )
}
