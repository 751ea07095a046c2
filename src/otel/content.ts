/** Messages as the conventions write them: JSON of roles and parts. Files are named, and their bytes left out. */
import type { Content, FilePart, Message, ModelReply, ToolCall } from '../index.ts'

type Part = Readonly<Record<string, unknown>>

interface WrittenMessage {
  readonly role: string
  readonly parts: readonly Part[]
}

/** A message that was given as output says why it ended. */
interface OutputMessage extends WrittenMessage {
  readonly finish_reason: string
}

/** The messages before the first answer that say how to answer. */
export function instructionsText(messages: readonly Message[]): string | undefined {
  const parts = messages.flatMap((message) => (message.role === 'system' ? partsOf(message.content) : []))
  return parts.length === 0 ? undefined : JSON.stringify(parts)
}

/** All messages but the instructions. */
export function messagesText(messages: readonly Message[]): string {
  return JSON.stringify(messages.filter(({ role }) => role !== 'system').map(toMessage))
}

export function taskText(task: string): string {
  return JSON.stringify([{ role: 'user', parts: partsOf(task) }])
}

export function answerText(text: string): string {
  return outputText({ role: 'assistant', parts: partsOf(text), finish_reason: 'stop' })
}

export function replyText({ text, reasoning, toolCalls, finishReason, files = [] }: ModelReply): string {
  const thought: readonly Part[] = reasoning === undefined ? [] : [{ type: 'reasoning', content: reasoning }]
  return outputText({
    role: 'assistant',
    parts: [...thought, ...partsOf(text), ...files.map(filePart), ...toolCalls.map(callPart)],
    finish_reason: finishReasonOf(finishReason),
  })
}

function outputText(message: OutputMessage): string {
  return JSON.stringify([message])
}

/** The finish reason in the words of the conventions. */
export function finishReasonOf(reason: ModelReply['finishReason']): string {
  return reason === 'tool-calls' ? 'tool_call' : reason.replace('-', '_')
}

function toMessage(message: Message): WrittenMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, parts: partsOf(message.content) }
    case 'assistant':
      return {
        role: 'assistant',
        parts: [...partsOf(message.content), ...(message.toolCalls ?? []).map(callPart)],
      }
    case 'tool':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: message.toolCallId, response: message.content }],
      }
  }
}

function partsOf(content: Content): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }]
  return content.map((part) => (part.type === 'text' ? { type: 'text', content: part.text } : filePart(part)))
}

function filePart(file: Omit<FilePart, 'type'>): Part {
  const name = file.name === undefined ? {} : { name: file.name }
  const part = { ...name, mime_type: file.mediaType, modality: modalityOf(file.mediaType) }
  return 'url' in file && typeof file.url === 'string' && !file.url.startsWith('data:')
    ? { type: 'uri', uri: file.url, ...part }
    : { type: 'file', ...part }
}

function modalityOf(mediaType: string): string {
  return /^(image|audio|video)(?=\/)/.exec(mediaType)?.[0] ?? 'document'
}

function callPart({ id, name, args }: ToolCall): Part {
  return { type: 'tool_call', id, name, arguments: args }
}
