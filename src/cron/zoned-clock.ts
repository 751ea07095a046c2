/**
 * The clock on the wall in a time zone. A wall time is written as the milliseconds that UTC would give it. The time zone data of the
 * platform decides.
 */

/** Milliseconds: longer than any change of a clock, such as the day that Samoa left out in 2011. */
const longestChange = 25 * 3_600_000

/** A moment at which the clock of a zone is put forward or back. */
export interface ClockChange {
  /** The first moment with the new offset. */
  readonly at: number
  /** The wall time that the old offset gives this moment. */
  readonly from: number
  /** The wall time that the new offset gives it. */
  readonly to: number
}

export class ZonedClock {
  readonly #parts: Intl.DateTimeFormat

  /** Throws a `RangeError` for a zone that the platform does not know. */
  constructor(timeZone: string) {
    this.#parts = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  }

  /** The wall time of a moment. */
  wallOf(at: number): number {
    const read: Record<string, number> = {}
    for (const { type, value } of this.#parts.formatToParts(at)) read[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1_000) + 1_000) % 1_000)
  }

  /** The first change after a moment, within the longest change. */
  changeAfter(at: number): ClockChange | undefined {
    return this.#changeIn(at, at + longestChange)
  }

  /** The change at or before a moment, within the longest change. */
  changeBefore(at: number): ClockChange | undefined {
    return this.#changeIn(at - longestChange, at)
  }

  /** The moments at which the wall shows a time: none, one or two, the earlier first. */
  momentsOf(wall: number): readonly number[] {
    const offsets = [wall - longestChange, wall + longestChange].map((at) => this.#offset(at))
    const moments = [...new Set(offsets)].map((offset) => wall - offset)
    return moments.filter((at) => this.wallOf(at) === wall).toSorted((a, b) => a - b)
  }

  /** The change that leaves out a wall time. */
  changeOver(wall: number): ClockChange | undefined {
    const middle = wall - this.#offset(wall - longestChange)
    return this.#changeIn(middle - longestChange, middle + longestChange)
  }

  #offset(at: number): number {
    return this.wallOf(at) - at
  }

  #changeIn(after: number, until: number): ClockChange | undefined {
    const before = this.#offset(after)
    const behind = this.#offset(until)
    if (before === behind) return undefined
    let low = after
    let high = until
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#offset(middle) === before) low = middle
      else high = middle
    }
    return { at: high, from: high + before, to: high + this.#offset(high) }
  }
}
