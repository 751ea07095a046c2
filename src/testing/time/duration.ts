/** Lengths of time, as a test writes them. */
import { wrong } from '../../actors/strict/read-options.ts'

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds, or a number with its unit: `'250ms'`, `'90s'`, `'5m'`, `'1h'`, `'2d'`. */
export type Duration = number | `${number}${keyof typeof units}`

/** Returns milliseconds. Throws a `ConfigurationError`. */
export function millisecondsOf(given: Duration, where: string): number {
  const read = typeof given === 'number' ? given : parsed(given)
  if (read !== undefined && Number.isFinite(read) && read >= 0) return read
  throw wrong(given, where, `milliseconds, or a text such as '90s', '5m' or '1h'`)
}

function parsed(text: unknown): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(text)) ?? []
  return unit === undefined ? undefined : Number(count) * units[unit as keyof typeof units]
}
