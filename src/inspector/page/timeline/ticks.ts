/** The marks of the axis, at round values. */
import type { Scale } from './scale.ts'

export interface Tick {
  readonly row: number
  readonly x: number
  readonly text: string
}

/** Pixels between two marks. */
const spacing = 84
const labelWidth = 56

/** `offsets`: as those of the scale. `inRows`: they are numbers of rows, which are shown from 1. */
export function ticksOf(
  scale: Scale,
  {
    offsets,
    width,
    inRows,
  }: { readonly offsets: readonly number[]; readonly width: number; readonly inRows: boolean },
): readonly Tick[] {
  const ticks: Tick[] = []
  for (let x = 0; x < width; x += spacing) {
    const row = scale.rowAt(x)
    const at = scale.xOf(row)
    const last = ticks.at(-1)
    if (at < 0 || at > width - labelWidth || (last !== undefined && at - last.x < spacing / 2)) continue
    ticks.push({ row, x: at, text: inRows ? String(row + 1) : durationText(offsets[row] ?? 0) })
  }
  return ticks
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
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}
