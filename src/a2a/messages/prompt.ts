/** A message of another agent as the prompt of a run. */
import { type Content, type Part, TroupeError } from '../../index.ts'
import { base64Of } from '../../kit/index.ts'
import type { Message as A2aMessage, Part as A2aPart } from '@a2a-js/sdk'

/** Rejects an empty message with a `TroupeError` (`MESSAGE_EMPTY`). */
export function contentOf({ parts }: A2aMessage): Content {
  const read = parts.flatMap((part) => partOf(part) ?? [])
  if (read.length === 0) throw new TroupeError('MESSAGE_EMPTY', 'The message has no text and no file.')
  const texts = read.flatMap((part) => (part.type === 'text' ? part.text : []))
  return texts.length === read.length ? texts.join('\n') : read
}

function partOf({ content, mediaType, filename }: A2aPart): Part | undefined {
  const facts = {
    type: 'file',
    mediaType: mediaType === '' ? 'application/octet-stream' : mediaType,
    ...(filename === '' ? {} : { name: filename }),
  } as const
  switch (content?.$case) {
    case 'text':
      return content.value.trim() === '' ? undefined : { type: 'text', text: content.value }
    case 'data':
      return { type: 'text', text: JSON.stringify(content.value ?? null) }
    case 'raw':
      return { ...facts, data: base64Of(content.value) }
    case 'url':
      return { ...facts, url: content.value }
    case undefined:
      return undefined
  }
}
