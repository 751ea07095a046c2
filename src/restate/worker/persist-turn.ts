/** Keeps a turn of a journal as state of its workflow, for readers of runs in progress and of ended ones. */
import { requesterOf } from '../../actors/actor-path.ts'
import { serde, type WorkflowContext } from '@restatedev/restate-sdk'
import { encodedJson } from '../wire/bounded-serdes.ts'
import { assertOutcome, largest } from '../wire/payload-limits.ts'
import { names, type KeptTurn, type Turn } from '../wire/wire.ts'

/**
 * Keeps a turn, as several turns where it is larger than Restate takes at once. Returns the index of the next turn.
 * Throws a `TerminalError` for an entry that is too large by itself.
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

/** Returns some entries of a turn, with the ends of the parts that these entries settle. */
function part({ entries, ends = {} }: Turn, from: number, to?: number): Turn {
  const some = entries.slice(from, to)
  const paths = new Set(some.map((entry) => (entry.type === 'effect.settled' ? requesterOf(entry.key) : '')))
  const theirs = Object.entries(ends).filter(([path]) => paths.has(path))
  return { entries: some, ...(theirs.length === 0 ? {} : { ends: Object.fromEntries(theirs) }) }
}
