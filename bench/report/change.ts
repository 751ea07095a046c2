/** What has become of a ratio since it was kept: dearer, cheaper, or the same within the noise of the rounds. */
import type { Measurement } from '../support/measure.ts'
import { quantile } from '../support/statistics.ts'

/** The median of the ratios within rounds, and their quartiles. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export interface Change {
  readonly verdict: 'dearer' | 'cheaper' | 'same'
  readonly text: string
}

/** The CPU of one to that of another, in the same rounds. */
export function spreadOf(one: Measurement, other: Measurement): Spread {
  const ratios = one.samples.map(({ cpu }, round) => cpu / (other.samples[round]?.cpu ?? Number.NaN))
  const of = (q: number): number => Number(quantile(ratios, q).toFixed(3))
  return { median: of(0.5), low: of(0.25), high: of(0.75) }
}

/** A change that is told: as a share of what was before. */
const told = 0.05

/** A median beyond the share is noise where the quartiles of both still meet. */
export function changeOf(before: Spread, now: Spread): Change {
  const share = now.median / before.median - 1
  const percent = `${Math.abs(share * 100).toFixed(0)} %`
  if (share > told && now.low > before.high) return { verdict: 'dearer', text: `DEARER by ${percent}.` }
  if (share < -told && now.high < before.low)
    return { verdict: 'cheaper', text: `Cheaper by ${percent}: keep it with --keep.` }
  return { verdict: 'same', text: 'No change beyond the noise.' }
}
