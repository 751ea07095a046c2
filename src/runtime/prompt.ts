/** What the user handed in, as a task and what was said before it. */
import type { AssistantMessage, Prompt, UserMessage } from '../actors/message.ts'
import { ConfigurationError } from '../errors.ts'

export function taskOf(prompt: Prompt): {
  readonly task: string
  readonly history: readonly (UserMessage | AssistantMessage)[]
} {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw new ConfigurationError('The prompt is empty.')
    return { task: prompt, history: [] }
  }
  const last = Array.isArray(prompt) ? (prompt.at(-1) as UserMessage | undefined) : undefined
  if (last?.role !== 'user' || typeof last.content !== 'string' || last.content.trim() === '') {
    throw new ConfigurationError(
      "The prompt must be a text, or messages of which the last is the user's and not empty.",
    )
  }
  return { task: last.content, history: prompt.slice(0, -1) }
}
