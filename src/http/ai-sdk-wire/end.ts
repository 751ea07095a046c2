/** The end of a stream: of the run, or where the run waits for a person. */
import type { FilePart, RunEvent } from '../../index.ts'
import type { RunMetadata, UiChunk } from './chunks.ts'

type EndEvent = Extract<RunEvent, { type: 'suspended' | 'run-finish' }>

export function* endChunks(event: EndEvent, addressOf: (ref: string) => string): Generator<UiChunk, void> {
  if (event.type === 'suspended') {
    yield { type: 'finish', finishReason: 'tool-calls', messageMetadata: metadataOf(event, 'suspended') }
    return
  }
  const { outcome, text, files = [], reason, error } = event.payload
  if (outcome === 'bailed' && text !== '') yield* answer(`${event.runId}#answer`, text)
  for (const file of files) yield { type: 'file', url: urlOf(file, addressOf), mediaType: file.mediaType }
  const finishReason = outcome === 'failed' ? 'error' : outcome === 'exhausted' ? 'length' : 'stop'
  yield { type: 'finish', finishReason, messageMetadata: metadataOf(event, outcome) }
  if (outcome === 'cancelled') yield { type: 'abort', reason: reason ?? outcome }
  if (outcome === 'failed') yield { type: 'error', errorText: error?.message ?? outcome }
}

function metadataOf({ runId, cursor }: EndEvent, status: string): RunMetadata {
  return { runId, status, ...(cursor === undefined ? {} : { cursor }) }
}

/** The answer of a subagent, which is no message of the agent that holds the conversation. */
function* answer(id: string, text: string): Generator<UiChunk, void> {
  yield { type: 'text-start', id }
  yield { type: 'text-delta', id, delta: text }
  yield { type: 'text-end', id }
}

function urlOf(file: FilePart, addressOf: (ref: string) => string): string {
  if ('url' in file) return file.url
  return 'ref' in file ? addressOf(file.ref) : `data:${file.mediaType};base64,${file.data}`
}
