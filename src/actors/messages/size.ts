/** The size of messages: their characters, and their tokens as an estimate. */
import type { Message, ToolCall } from '../message.ts'

const charactersPerToken = 4

/** The number of tokens is estimated, and may have a fraction. */
export function estimatedTokens(characters: number): number {
  return characters / charactersPerToken
}

/** The number of characters for which so many tokens are estimated. */
export function charactersFor(tokens: number): number {
  return Math.floor(tokens * charactersPerToken)
}

export function charactersOf(message: Message): number {
  if (message.role !== 'assistant') return message.content.length
  const { content, reasoning = '', toolCalls = [] } = message
  return content.length + reasoning.length + charactersOfCalls(toolCalls)
}

export function charactersOfCalls(calls: readonly ToolCall[]): number {
  return calls.reduce((sum, call) => sum + call.name.length + argumentsOf(call).length, 0)
}

/** The arguments of a call as text. */
export function argumentsOf({ args, malformed }: ToolCall): string {
  return malformed ?? JSON.stringify(args)
}
