/** Reads a prompt as a task and the messages before it. */
import { aText, oneOf } from '../../actors/strict/checks.ts'
import type { AssistantMessage, Prompt, PromptMessage, UserMessage } from '../../actors/message.ts'
import { anObject, required, show, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'

const fields: Fields<PromptMessage> = {
  role: required(oneOf('user', 'assistant')),
  content: required(aText),
}

const readMessage = anObject(fields, { expected: 'a message', word: 'field' })

const expected = "The prompt must be a text, or messages { role: 'user' | 'assistant', content }"

export interface Task {
  readonly task: string
  readonly history: readonly (UserMessage | AssistantMessage)[]
}

/** Returns a copy: the caller may reuse the messages. Throws a `ConfigurationError` that names the wrong message. */
export function taskOf(prompt: Prompt): Task {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw new ConfigurationError('The prompt is empty.')
    return { task: prompt, history: [] }
  }
  if (!Array.isArray(prompt)) throw new ConfigurationError(`${expected}, not ${show(prompt)}.`)
  const messages = Array.from(prompt as readonly unknown[], (message, index) =>
    readMessage(message, `${expected}: ${index}`),
  )
  const last = messages.at(-1)
  if (last?.role !== 'user' || last.content.trim() === '') {
    throw new ConfigurationError("The last message of a prompt must be the user's, and not empty.")
  }
  return { task: last.content, history: messages.slice(0, -1) }
}
