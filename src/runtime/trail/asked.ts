/** What hooks that may change something were given: the state of the run before their outcome. */
import { outline } from '../../actors/values/outline.ts'
import { effectOf, lastId, placeOf } from '../../actors/actor-path.ts'
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { RunState } from '../state/run-state.ts'

/** By hook, the fields of its data that its outcome may replace. */
const fields: Readonly<Record<string, readonly string[]>> = {
  onDelegationStart: ['prompt'],
  messageFilter: ['messages'],
  handoffFilter: ['messages'],
  onDelegationComplete: ['text'],
  processInput: ['messages'],
  processOutput: ['text'],
}

const limits = { text: 1_000, items: 10, depth: 5, values: 200 }

/** To be asked before the entry is delivered; `undefined` for any other entry. */
export function askedBy(state: RunState, entry: JournalEntry): JsonValue | undefined {
  if (entry.type !== 'effect.settled' || entry.kind !== 'hook') return undefined
  const names = fields[placeOf(lastId(effectOf(entry.key)))]
  const input = names && state.effects.pending.get(entry.key)?.request.input
  if (names === undefined || input === undefined || !('data' in input) || !isRecord(input.data))
    return undefined
  const { data } = input
  return outline(Object.fromEntries(names.map((name) => [name, data[name]])), limits)
}
