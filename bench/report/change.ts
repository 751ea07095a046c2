/** What has become of a ratio since it was kept: dearer, cheaper, or the same within the noise of the rounds. */
import type { Measurement } from '../support/measure.ts'
import { quantile } from '../support/statistics.ts'

/** The median of the ratios within rounds, and where it lies with a probability of 95 %. */
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
  const of = (q: number): number => Number(quantile(ratios, Math.min(1, Math.max(0, q))).toFixed(3))
  // The ranks of a median are binomial, and nearly normal.
  const half = 0.98 / Math.sqrt(ratios.length)
  return { median: of(0.5), low: of(0.5 - half), high: of(0.5 + half) }
}

/** A change that is told: as a share of what was before. */
const told = 0.05

/** A median beyond the share is noise where the two ranges still meet. */
export function changeOf(before: Spread, now: Spread): Change {
  const share = now.median / before.median - 1
  const percent = `${Math.abs(share * 100).toFixed(0)} %`
  if (share > told && now.low > before.high) return { verdict: 'dearer', text: `DEARER by ${percent}.` }
  if (share < -told && now.high < before.low)
    return { verdict: 'cheaper', text: `Cheaper by ${percent}: keep it with --keep.` }
  return { verdict: 'same', text: 'No change beyond the noise.' }
}
