/** What two golden graphs do not share: edges, transitions, and values. */
import { readGolden } from '../chart/golden-text.ts'

/** Lines that differ between two golden graphs. */
export interface LineDifference {
  /** In the second graph alone. */
  readonly added: readonly string[]
  /** In the first graph alone. */
  readonly gone: readonly string[]
}

/** Its own lists are of edges. An edge on which the machine does something else is new, and its old form gone. */
export interface GoldenDifference extends LineDifference {
  /** Transitions by their labels. A label names the guard. */
  readonly transitions: LineDifference
  /**
   * Fields with their values, as `starts bank · input.euros: 5`: of graphs in groups alone, in which an edge does not
   * show its values.
   */
  readonly values: LineDifference
}

/** Compares two texts of `goldenOf`. Throws a `ConfigurationError` for a text that is none. */
export function compareGoldens(before: string, after: string): GoldenDifference {
  const [old, now] = [readGolden(before), readGolden(after)]
  return {
    ...differenceOf(old.edges, now.edges),
    transitions: differenceOf(old.transitions, now.transitions),
    values: differenceOf(old.values, now.values),
  }
}

function differenceOf(before: readonly string[], after: readonly string[]): LineDifference {
  return { added: without(after, before), gone: without(before, after) }
}

/** A text that is there several times counts each time. */
function without(texts: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1)
  return texts.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  })
}
