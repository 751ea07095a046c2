/** The edges that two golden graphs do not share. */
import { readGolden } from '../chart/golden-text.ts'

export interface GoldenDifference {
  /** Edges of the second graph alone. An edge on which the machine does something else is new, and its old form gone. */
  readonly added: readonly string[]
  /** Edges of the first graph alone. */
  readonly gone: readonly string[]
}

/** Compares two texts of `goldenOf`. Throws a `ConfigurationError` for a text that is none. */
export function compareGoldens(before: string, after: string): GoldenDifference {
  const [old, now] = [readGolden(before).edges, readGolden(after).edges]
  return { added: without(now, old), gone: without(old, now) }
}

/** An edge that is there several times counts each time. */
function without(edges: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const edge of others) counts.set(edge, (counts.get(edge) ?? 0) + 1)
  return edges.filter((edge) => {
    const count = counts.get(edge) ?? 0
    counts.set(edge, count - 1)
    return count <= 0
  })
}
