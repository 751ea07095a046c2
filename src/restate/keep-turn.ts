/** A turn of a journal as state of its workflow: for those who read along, and for readers of what has ended. */
import { serde, type WorkflowContext } from '@restatedev/restate-sdk'
import { encodedJson } from './bounded-serdes.ts'
import { assertOutcome, largest } from './sizes.ts'
import { names, type KeptTurn } from './wire.ts'

/**
 * As several turns, where it is more than Restate takes at once. Gives the index of the next one. Throws a `TerminalError`
 * for an entry that is too large by itself.
 */
export function keepTurn(context: Pick<WorkflowContext, 'set'>, index: number, turn: KeptTurn): number {
  const bytes = serde.json.serialize(turn)
  const { entries, begun } = turn
  const isOneEntry = entries.length === 1 && begun === undefined
  if (isOneEntry) assertOutcome('An entry of the journal', bytes.length)
  if (bytes.length <= largest.turn) {
    context.set(names.turn(index), bytes, encodedJson)
    return index + 1
  }
  const middle = Math.floor(entries.length / 2)
  const next = keepTurn(context, index, { ...turn, entries: entries.slice(0, middle) })
  return keepTurn(context, next, { entries: entries.slice(middle) })
}
