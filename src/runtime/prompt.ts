/** What the user handed in, as a task and what was said before it. */
import { z } from 'zod'
import type { AssistantMessage, Prompt, UserMessage } from '../actors/message.ts'
import { ConfigurationError } from '../errors.ts'

const said = z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }))

export interface Task {
  readonly task: string
  readonly history: readonly (UserMessage | AssistantMessage)[]
}

/** A copy: the caller may go on with the messages. Throws a `ConfigurationError` that says which one is wrong. */
export function taskOf(prompt: Prompt): Task {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw new ConfigurationError('The prompt is empty.')
    return { task: prompt, history: [] }
  }
  const checked = said.safeParse(prompt)
  if (!checked.success) {
    const issue = checked.error.issues[0]
    throw new ConfigurationError(
      `The prompt must be a text, or messages { role: 'user' | 'assistant', content }: ${issue?.path.join('.')}: ${issue?.message}`,
    )
  }
  const last = checked.data.at(-1)
  if (last?.role !== 'user' || last.content.trim() === '') {
    throw new ConfigurationError("The last message of a prompt must be the user's, and not empty.")
  }
  return { task: last.content, history: checked.data.slice(0, -1) }
}
