/** The messages of a hook's answer, with references in the place of the bytes of their files. */
import type { Message } from '../../actors/message.ts'
import type { Blob } from './blob-storage.ts'
import { keptContent } from './kept-content.ts'

export function keptMessages(messages: readonly Message[]): {
  readonly messages: readonly Message[]
  readonly blobs: readonly Blob[]
} {
  const blobs: Blob[] = []
  const kept = messages.map((message): Message => {
    if (message.role === 'system' || typeof message.content === 'string') return message
    const { content, blobs: found } = keptContent(message.content)
    blobs.push(...found)
    return { ...message, content }
  })
  return { messages: kept, blobs }
}
