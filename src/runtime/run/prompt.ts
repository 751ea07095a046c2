/** Reads a prompt as a task and the messages before it. */
import { isBlank, textOf, type Content, type Part } from '../../actors/content/content.ts'
import { oneOf } from '../../actors/strict/checks.ts'
import { aContent } from '../../actors/strict/content.ts'
import type { AssistantMessage, Prompt, PromptMessage, UserMessage } from '../../actors/message.ts'
import { anObject, isObject, required, show, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import { keptContent } from '../files/kept-content.ts'
import type { Blob } from '../files/blob-storage.ts'

const fields: Fields<PromptMessage> = {
  role: required(oneOf('user', 'assistant')),
  content: required(aContent),
}

const readMessage = anObject(fields, { expected: 'a message', word: 'field' })

const expected = "The prompt must be a text, or messages { role: 'user' | 'assistant', content }"

export interface Task {
  /** The text of the task; a line stands for each file. */
  readonly task: string
  /** The task with its files, where it has some. */
  readonly content?: readonly Part[]
  readonly history: readonly (UserMessage | AssistantMessage)[]
}

/** A task, and the bytes of all files of the prompt. */
export interface GivenTask {
  readonly task: Task
  readonly blobs: readonly Blob[]
}

/** Returns a copy: the caller may reuse the messages. Throws a `ConfigurationError` that names the wrong message. */
export function taskOf(prompt: Prompt): GivenTask {
  if (typeof prompt === 'string') {
    if (prompt.trim() === '') throw new ConfigurationError('The prompt is empty.')
    return { task: { task: prompt, history: [] }, blobs: [] }
  }
  if (!Array.isArray(prompt)) {
    const inner = innerPromptOf(prompt)
    const remedy = inner === undefined ? '' : ` Give the ${inner} alone: generate(${inner}, options).`
    throw new ConfigurationError(`${expected}, not ${show(prompt)}.${remedy}`)
  }
  const blobs: Blob[] = []
  const messages = Array.from(prompt as readonly unknown[], (given, index) => {
    const message = readMessage(given, `${expected}: ${index}`)
    const kept = keptContent(message.content)
    blobs.push(...kept.blobs)
    return { ...message, content: kept.content }
  })
  const last = messages.at(-1)
  if (last?.role !== 'user' || isBlank(last.content)) {
    throw new ConfigurationError("The last message of a prompt must be the user's, and not empty.")
  }
  return { task: { ...taskIn(last.content), history: messages.slice(0, -1) }, blobs }
}

/** The field of an object of options, as other libraries take them, that has the prompt. */
function innerPromptOf(given: unknown): string | undefined {
  return isObject(given)
    ? ['prompt', 'messages', 'input'].find((name) => Object.hasOwn(given, name))
    : undefined
}

function taskIn(content: Content): Pick<Task, 'task' | 'content'> {
  return typeof content === 'string' ? { task: content } : { task: textOf(content), content }
}
