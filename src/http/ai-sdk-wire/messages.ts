/** The messages of the agent that holds the conversation, and what they cite. */
import type { RunEvent, Source } from '../../index.ts'
import type { UiChunk } from './chunks.ts'

type MessageEvent = Extract<
  RunEvent,
  { type: 'text-start' | 'text-delta' | 'text-end' | 'reasoning-start' | 'reasoning-delta' | 'reasoning-end' }
>

export function isMessageEvent(event: RunEvent): event is MessageEvent {
  return event.type.startsWith('text-') || event.type.startsWith('reasoning-')
}

/** The text of an attempt that was cut stands in the stream: the next one is another part. */
export function* messageChunks(event: MessageEvent): Generator<UiChunk, void> {
  const { messageId = '', attempt = 1 } = event
  const id = `${messageId}#${attempt}`
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
      yield { type: event.type, id }
      return
    case 'text-delta':
    case 'reasoning-delta':
      yield { type: event.type, id, delta: event.payload.text }
      return
    case 'text-end':
    case 'reasoning-end': {
      const { status } = event.payload
      const mark = status === 'complete' ? {} : { providerMetadata: { troupe: { status } } }
      yield { type: event.type, id, ...mark }
      if (event.type === 'text-end') yield* sourceChunks(id, event.payload.sources ?? [])
    }
  }
}

function* sourceChunks(message: string, sources: readonly Source[]): Generator<UiChunk, void> {
  for (const [index, source] of sources.entries()) {
    const sourceId = `${message}.${index + 1}`
    const { title } = source
    yield source.type === 'url'
      ? { type: 'source-url', sourceId, url: source.url, ...(title === undefined ? {} : { title }) }
      : {
          type: 'source-document',
          sourceId,
          title: source.title,
          mediaType: source.mediaType ?? 'application/octet-stream',
        }
  }
}
