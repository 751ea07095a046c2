/** A model of the user may stream anything: what is no piece of a reply, or an empty one, is not told. */
import type { ModelDelta } from '../chat-model.ts'
import { isRecord } from '../values/json.ts'

/** Whether a piece is one that readers are told. */
export function isToldDelta(delta: unknown): delta is ModelDelta {
  if (!isRecord(delta) || typeof delta['text'] !== 'string' || delta['text'] === '') return false
  switch (delta['type']) {
    case 'text':
    case 'reasoning':
      return true
    case 'tool-args':
      return typeof delta['name'] === 'string' && Number.isInteger(delta['index'])
    default:
      return false
  }
}
