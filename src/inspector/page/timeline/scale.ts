/** Where rows lie on the timeline: by their time, without the times that were cut out, or one behind the other. */
import { countUntil } from '../model/sorted.ts'
import type { Cut } from '../model/time-axis.ts'

/** Pixels that stand for a time that was cut out, where there is room. */
const cutWidth = 18

export interface ScaleOptions {
  /** By row, ascending: milliseconds since the first row, or the number of the row. */
  readonly offsets: readonly number[]
  /** In the order of their rows; none where rows stand one behind the other. */
  readonly cuts: readonly Pick<Cut, 'row' | 'offset'>[]
  /** Pixels that are seen. */
  readonly width: number
  /** The time behind the last row in which effects are at work. In the unit of the offsets. Default: 0. */
  readonly tail?: number
  /** The run waits for people since the last row. */
  readonly isWaiting?: boolean
  /** 1: the whole run is seen. */
  readonly zoom: number
  /** The pixels of the whole line that lie before those that are seen. */
  readonly left: number
}

export class Scale {
  readonly #offsets: readonly number[]
  readonly #cuts: readonly number[]
  readonly #cutOffsets: readonly number[]
  readonly #left: number
  readonly #gap: number
  /** Pixels for each millisecond, or for each row. */
  readonly density: number
  /** The pixel at which what is under way ends. */
  readonly end: number

  constructor({ offsets, cuts, tail = 0, isWaiting = false, width, zoom, left }: ScaleOptions) {
    const whole = width * zoom
    this.#offsets = offsets
    this.#cuts = cuts.map(({ row }) => row)
    this.#cutOffsets = cuts.map(({ offset }) => offset)
    this.#left = left
    const gaps = cuts.length + (isWaiting ? 1 : 0)
    this.#gap = gaps === 0 ? 0 : Math.min(cutWidth, whole / 2 / gaps)
    const length = (offsets.at(-1) ?? 0) + tail
    this.density = length === 0 ? 0 : (whole - this.#gap * gaps) / length
    this.end = this.xOf(offsets.length - 1) + tail * this.density + (isWaiting ? this.#gap : 0)
  }

  /** The pixel of a row; one outside of the line is at its nearest end. */
  xOf(row: number): number {
    const at = Math.min(this.#offsets.length - 1, Math.max(0, row))
    return (this.#offsets[at] ?? 0) * this.density + countUntil(this.#cuts, at) * this.#gap - this.#left
  }

  /** The pixel of an offset; where a time was cut out there, the one behind it. */
  xOfOffset(offset: number): number {
    return offset * this.density + countUntil(this.#cutOffsets, offset) * this.#gap - this.#left
  }

  /** The row that lies nearest to a pixel; of several in one place, the last. */
  rowAt(x: number): number {
    let low = 0
    for (let high = this.#offsets.length; low < high;) {
      const middle = (low + high) >>> 1
      if (this.xOf(middle) <= x) low = middle + 1
      else high = middle
    }
    const before = Math.max(0, low - 1)
    const behind = Math.min(this.#offsets.length - 1, low)
    return this.xOf(behind) - x < x - this.xOf(before) ? behind : before
  }

  /** Where a time was cut out, before `row`: its first and its last pixel. */
  cutAt(row: number): { readonly from: number; readonly until: number } {
    const until = this.xOf(row)
    return { from: until - this.#gap, until }
  }
}

/** The first pixel that is seen after a zoom that leaves the pixel `x` in its place. */
export function leftAfter(x: number, left: number, factor: number): number {
  return (x + left) * factor - x
}

/** Keeps what is seen within the line. */
export function bounded(left: number, width: number, zoom: number): number {
  return Math.min(width * zoom - width, Math.max(0, left))
}
