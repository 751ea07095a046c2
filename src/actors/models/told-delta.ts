/** A model of the user may stream pieces of any kind: readers are told those of a reply that have a text. */
import type { ModelDelta } from '../chat-model.ts'
import { show } from '../strict/read-options.ts'
import { isRecord } from '../values/json.ts'

/** The piece, where readers are told it. Throws a `TypeError` for what is no object. */
export function toldDelta(piece: unknown): ModelDelta | undefined {
  if (!isRecord(piece)) throw new TypeError(`onDelta must be given a piece of a reply, not ${show(piece)}.`)
  return isTold(piece) ? piece : undefined
}

function isTold(piece: Readonly<Record<string, unknown>>): piece is ModelDelta & Record<string, unknown> {
  const { type, text, name, index } = piece
  if (typeof text !== 'string' || text === '') return false
  switch (type) {
    case 'text':
    case 'reasoning':
      return true
    case 'tool-args':
      return typeof name === 'string' && Number.isInteger(index)
    default:
      return false
  }
}
