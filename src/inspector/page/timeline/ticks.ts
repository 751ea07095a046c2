/** The marks of the axis, at round values. */
import type { Scale } from './scale.ts'

export interface Tick {
  readonly offset: number
  readonly x: number
  readonly text: string
}

/** Pixels between two marks, at least. */
const spacing = 84
/** Pixels that the text of a mark may need. */
const labelWidth = 56

/** Steps of milliseconds from a second on, in which people count. */
const longSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1000,
)

export interface TickRange {
  /** The first offset that is seen, and the last one that there is. */
  readonly from: number
  readonly until: number
  /** Pixels that are seen. */
  readonly width: number
  /** Offsets are numbers of rows, which are shown from 1. */
  readonly inRows: boolean
}

export function ticksOf(scale: Scale, { from, until, width, inRows }: TickRange): readonly Tick[] {
  const step = stepFor(spacing / scale.density, inRows)
  const [origin, text] = inRows ? [-1, String] : [0, durationText]
  const ticks: Tick[] = []
  const add = (value: number): void => {
    const x = scale.xOfOffset(value + origin)
    const before = ticks.at(-1)?.x ?? -Infinity
    if (x >= 0 && x <= width - labelWidth && x - before >= spacing / 2)
      ticks.push({ offset: value + origin, x, text: text(value) })
  }
  if (inRows || !Number.isFinite(step)) add(-origin)
  for (let value = Math.floor(from / step) * step; value + origin <= until && value < Infinity; value += step)
    if (value + origin >= 0) add(value)
  return ticks
}

/** The least round step that is long enough. */
function stepFor(least: number, inRows: boolean): number {
  if (!Number.isFinite(least)) return Infinity
  const long = inRows ? undefined : longSteps.find((step) => step >= least)
  if (long !== undefined && least > 500) return long
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least
}

const units = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
] as const

/** For example `340 ms`, `1.2 s`, `2 d 4 h`. */
export function durationText(ms: number): string {
  const at = units.findIndex((unit) => ms >= unit.ms)
  const unit = units[at]
  if (unit !== undefined) {
    const smaller = units[at + 1] ?? { ms: 1000, name: 's' }
    const rest = Math.floor((ms % unit.ms) / smaller.ms)
    const whole = `${Math.floor(ms / unit.ms)} ${unit.name}`
    return rest === 0 ? whole : `${whole} ${rest} ${smaller.name}`
  }
  if (ms < 1000) return `${Math.round(ms)} ms`
  return `${Number((ms / 1000).toFixed(ms < 10_000 ? 2 : 1))} s`
}
