/** A conversation in units: messages that stay or go together. */
import type { Message } from '../../actors/message.ts'
import { charactersOf, estimatedTokens } from '../../actors/messages/size.ts'

export interface Unit {
  readonly positions: readonly number[]
  /** In estimated tokens. */
  readonly size: number
}

/** The share of the room that the summary and open feedback may take. */
export const summaryShare = 0.25

/** The share of the room that the last messages may take. */
const tailShare = 0.5

/** A message with calls and the results of these calls are one unit. Pinned messages are in none. */
export function unitsOf(messages: readonly Message[], pinned: ReadonlySet<number>): readonly Unit[] {
  const units: { positions: number[]; size: number }[] = []
  for (const [position, message] of messages.entries()) {
    if (pinned.has(position)) continue
    const size = estimatedTokens(charactersOf(message))
    const unit = units.at(-1)
    if (message.role === 'tool' && unit !== undefined) {
      unit.positions.push(position)
      unit.size += size
    } else units.push({ positions: [position], size })
  }
  return units
}

/**
 * How many of the last units stay: as many as fit into their share of the room. The very last one stays also where it
 * alone takes more, if it leaves room for a summary: the model has just asked for it.
 */
export function keptTail(units: readonly Unit[], room: number): number {
  let kept = 0
  let size = 0
  for (const unit of units.toReversed()) {
    size += unit.size
    if (size > room * tailShare) break
    kept += 1
  }
  const last = units.at(-1)
  const isLastKept = kept === 0 && last !== undefined && last.size <= room * (1 - summaryShare)
  return isLastKept ? 1 : kept
}
