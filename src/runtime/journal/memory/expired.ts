/** The choice of a retention. */
import type { Expiry, Page } from '../run-index.ts'

interface Changed {
  readonly id: string
  readonly updatedAt: number
}

/** The ids that a retention deletes, the first changed first. */
export function expiredOf(all: Iterable<Changed>, { before, keep, limit }: Expiry): Page<string> {
  const sorted = [...all].toSorted((a, b) => a.updatedAt - b.updatedAt)
  const beyond = keep === undefined ? 0 : Math.max(0, sorted.length - keep)
  const items = sorted
    .filter(({ updatedAt }, index) => index < beyond || (before !== undefined && updatedAt < before))
    .slice(0, limit)
    .map(({ id }) => id)
  return { items }
}
