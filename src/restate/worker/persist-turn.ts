/** A turn of a journal as state of its workflow: for those who read along, and for readers of what has ended. */
import { requesterOf } from '../../actors/actor-path.ts'
import { serde, type WorkflowContext } from '@restatedev/restate-sdk'
import { encodedJson } from '../wire/bounded-serdes.ts'
import { assertOutcome, largest } from '../wire/payload-limits.ts'
import { names, type KeptTurn, type Turn } from '../wire/wire.ts'

/**
 * As several turns, where it is more than Restate takes at once. Gives the index of the next one. Throws a `TerminalError`
 * for an entry that is too large by itself.
 */
export function keepTurn(context: Pick<WorkflowContext, 'set'>, index: number, turn: KeptTurn): number {
  const bytes = serde.json.serialize(turn)
  const { entries, ends: _ends, ...begun } = turn
  if (entries.length === 1) assertOutcome('An entry of the journal', bytes.length)
  if (bytes.length <= largest.turn) {
    context.set(names.turn(index), bytes, encodedJson)
    return index + 1
  }
  const middle = Math.floor(entries.length / 2)
  const next = keepTurn(context, index, { ...begun, ...part(turn, 0, middle) })
  return keepTurn(context, next, part(turn, middle))
}

/** Some of its entries, with the ends of the parts that they tell of. */
function part({ entries, ends = {} }: Turn, from: number, to?: number): Turn {
  const some = entries.slice(from, to)
  const paths = new Set(some.map((entry) => (entry.type === 'effect.settled' ? requesterOf(entry.key) : '')))
  const theirs = Object.entries(ends).filter(([path]) => paths.has(path))
  return { entries: some, ...(theirs.length === 0 ? {} : { ends: Object.fromEntries(theirs) }) }
}
