/** The size of messages: their characters, and their tokens as an estimate. */
import type { Content } from '../content/content.ts'
import type { Message, ToolCall } from '../message.ts'

const charactersPerToken = 4

/** A file counts as 1 000 tokens: an image of usual size takes 300 to 1 600. */
const charactersOfFile = 4_000

/** The number of tokens is estimated, and may have a fraction. */
export function estimatedTokens(characters: number): number {
  return characters / charactersPerToken
}

/** The number of characters for which so many tokens are estimated. */
export function charactersFor(tokens: number): number {
  return Math.floor(tokens * charactersPerToken)
}

export function charactersOf(message: Message): number {
  if (message.role !== 'assistant') return charactersOfContent(message.content)
  const { content, reasoning = '', toolCalls = [] } = message
  return charactersOfContent(content) + reasoning.length + charactersOfCalls(toolCalls)
}

function charactersOfContent(content: Content): number {
  if (typeof content === 'string') return content.length
  return content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : charactersOfFile), 0)
}

export function charactersOfCalls(calls: readonly ToolCall[]): number {
  return calls.reduce((sum, call) => sum + call.name.length + argumentsOf(call).length, 0)
}

/** The arguments of a call as text. */
export function argumentsOf({ args, malformed }: ToolCall): string {
  return malformed ?? JSON.stringify(args)
}
