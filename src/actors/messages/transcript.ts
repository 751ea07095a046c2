/** A conversation as one text, for the model that summarises it. */
import { textOf } from '../content/content.ts'
import type { Message } from '../message.ts'
import { argumentsOf } from './size.ts'

/** `characters`: the most that the text may have, about. The longest messages are cut in their middle. */
export function transcriptOf(messages: readonly Message[], characters: number): string {
  const texts = messages.map(written)
  const longest = longestOf(texts, characters)
  return texts.map((text) => cut(text, longest)).join('\n\n')
}

function written(message: Message): string {
  switch (message.role) {
    case 'system':
      return `System: ${message.content}`
    case 'user':
      return `${message.internal === undefined ? 'User' : authorOf[message.internal]}: ${textOf(message.content)}`
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => `Calls ${call.name}: ${argumentsOf(call)}`)
      return [`Assistant: ${textOf(message.content)}`, ...calls].join('\n')
    }
    case 'tool':
      return `Result of ${message.toolName}${message.isError === true ? ' (error)' : ''}: ${textOf(message.content)}`
  }
}

const authorOf = {
  feedback: 'Feedback',
  scoring: 'Feedback',
  notice: 'Notice',
  said: 'User',
  summary: 'Summary of earlier messages',
  partial: 'Assistant',
} as const

/** The length to which texts are cut so that all of them together have at most so many characters. */
function longestOf(texts: readonly string[], characters: number): number {
  let rest = characters
  const lengths = texts.map(({ length }) => length).toSorted((a, b) => a - b)
  for (const [index, length] of lengths.entries()) {
    const share = rest / (lengths.length - index)
    if (length > share) return Math.max(0, Math.floor(share))
    rest -= length
  }
  return Number.POSITIVE_INFINITY
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  const half = Math.floor(longest / 2)
  const left = text.length - 2 * half
  return `${text.slice(0, half)} [${left} characters left out] ${text.slice(text.length - half)}`
}
