/**
 * Files in messages after their own. Some APIs take files from the user alone: there a line of text stands for the file
 * in its message, and a message of the user with the file follows. Results of tools must follow their calls at once, so
 * it comes after all results of the step.
 */
import type { AssistantMessage, Message, ToolMessage } from '../message.ts'
import { filesOf, labelOf, textOf, type Content, type FilePart, type Part } from '../content/content.ts'

type Holder = AssistantMessage | ToolMessage

/** Whether a file may stay in its message. */
export type Stays = (file: FilePart, message: Holder) => boolean

const never: Stays = () => false

/** Messages in which files of tool results come after these. */
export function withFilesAfter(messages: readonly Message[], stays: Stays = never): readonly Message[] {
  if (messages.every((message) => movedFrom(message, stays).length === 0)) return messages
  const all: Message[] = []
  let waiting: Part[] = []
  const release = (): void => {
    if (waiting.length > 0) all.push({ role: 'user', content: waiting })
    waiting = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') release()
    all.push(withLabels(message, stays))
    if (isHolder(message)) waiting.push(...movedFrom(message, stays).flatMap((file) => named(file, message)))
  }
  release()
  return all
}

function isHolder(message: Message): message is Holder {
  return message.role === 'assistant' || message.role === 'tool'
}

function movedFrom(message: Message, stays: Stays): readonly FilePart[] {
  return isHolder(message) ? filesOf(message.content).filter((file) => !stays(file, message)) : []
}

function withLabels(message: Message, stays: Stays): Message {
  const moved = movedFrom(message, stays)
  return isHolder(message) && moved.length > 0
    ? { ...message, content: labelled(message.content, moved) }
    : message
}

function labelled(content: Content, moved: readonly FilePart[]): Content {
  if (typeof content === 'string') return content
  const parts = content.flatMap((part): readonly Part[] => {
    if (part.type === 'text' || !moved.includes(part)) return [part]
    return isLabelled(part, content) ? [] : [{ type: 'text', text: labelOf(part) }]
  })
  return filesOf(parts).length === 0 ? textOf(parts) : parts
}

/** The line of the file stands in a text already, or in JSON. */
function isLabelled(file: FilePart, parts: readonly Part[]): boolean {
  const label = labelOf(file)
  const inJson = JSON.stringify(label).slice(1, -1)
  return parts.some(
    (part) => part.type === 'text' && (part.text.includes(label) || part.text.includes(inJson)),
  )
}

/** The file after a text that names it and the message that it is of. */
function named(file: FilePart, message: Holder): readonly Part[] {
  const origin =
    message.role === 'tool'
      ? `of the result of the call ${message.toolCallId} of ${message.toolName}`
      : 'of your message'
  return [{ type: 'text', text: `${labelOf(file)} ${origin}:` }, file]
}
