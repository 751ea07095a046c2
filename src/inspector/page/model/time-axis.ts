/**
 * The time of a run without the times in which it only waited for people, and without the gap before the entries of a fork. Offsets are milliseconds since the first row, in
 * logical time; what was cut out is not counted.
 */
import type { EffectKind } from '../../../kit/host.ts'
import type { Row } from '../../wire/rows.ts'

/** A time in which nothing was at work and a question was open, or that lies between two runs. */
export interface Cut {
  /** The row behind it. */
  readonly row: number
  readonly offset: number
  /** Milliseconds that were cut out. */
  readonly duration: number
  readonly reason: 'people' | 'fork'
}

/** Milliseconds. Shorter waiting times stay. */
const shortestCut = 1000

/** Effects that are no work: an agent waits for its own effects, and a timer for none. */
const idle: readonly EffectKind[] = ['signal', 'timer', 'agent']

export class TimeAxis {
  /** By row. Never falling. */
  readonly offsets: number[] = []
  readonly cuts: Cut[] = []
  #last: number | undefined
  #working = 0
  #asking = 0

  append(row: Row): void {
    const before = this.offsets.at(-1) ?? 0
    const passed = Math.max(0, row.at - (this.#last ?? row.at))
    const gap = Math.min(row.gap ?? 0, passed)
    const rest = passed - gap
    const isWait = this.isWaiting && rest >= shortestCut
    const isFork = gap >= shortestCut
    const duration = (isFork ? gap : 0) + (isWait ? rest : 0)
    if (duration > 0)
      this.cuts.push({ row: row.row, offset: before, duration, reason: isFork ? 'fork' : 'people' })
    this.offsets.push(before + passed - duration)
    this.#last = row.at
    for (const { effect } of row.actorsAdded) this.#count(effect, 1)
    for (const { effect } of row.actorsEnded) this.#count(effect, -1)
  }

  /** The offset of the last row. */
  get length(): number {
    return this.offsets.at(-1) ?? 0
  }

  /** Whether effects are at work after the last row. */
  get isAtWork(): boolean {
    return this.#working > 0
  }

  /** Whether nothing is at work after the last row, and a question is open. */
  get isWaiting(): boolean {
    return this.#asking > 0 && this.#working === 0
  }

  #count(effect: EffectKind | undefined, change: number): void {
    if (effect === undefined) return
    if (effect === 'signal') this.#asking += change
    if (!idle.includes(effect)) this.#working += change
  }
}
