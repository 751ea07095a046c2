/** What has changed between two golden graphs of a machine, for a person. */
import { compareGoldens, type LineDifference } from 'troupe/testing'

/** Of each kind of difference, so many lines are shown. */
const mostShown = 20

export function goldenReport(id: string, before: string, after: string): string {
  const { transitions, values, ...edges } = compareGoldens(before, after)
  const parts = [
    ['edges', { added: grouped(edges.added), gone: grouped(edges.gone) }, edges],
    ['transitions', transitions, transitions],
    ['values', values, values],
  ] as const
  const counts = parts.map(([name, , { added, gone }]) => `${name}: ${added.length} new, ${gone.length} gone`)
  return [`${id}: ${counts.join('; ')}`, ...parts.flatMap(([name, shown]) => linesOf(name, shown))].join('\n')
}

/** The gone form of a line stands before the new one where they begin alike. */
function linesOf(name: string, { added, gone }: LineDifference): readonly string[] {
  const lines = [...gone.map((text) => ({ sign: '-', text })), ...added.map((text) => ({ sign: '+', text }))]
  if (lines.length === 0) return []
  const sorted = lines.toSorted((a, b) => compared(beginningOf(a.text), beginningOf(b.text)))
  const rest = sorted.length - mostShown
  return [
    `  ${name}`,
    ...sorted.slice(0, mostShown).map(({ sign, text }) => `  ${sign} ${text}`),
    ...(rest > 0 ? [`    … and ${rest} more`] : []),
  ]
}

/** Edges that differ in their digests alone are one line. */
function grouped(edges: readonly string[]): readonly string[] {
  const groups = Map.groupBy(edges, (edge) => edge.replace(/ #\w+$/, '').split('\n')[0] ?? '')
  return [...groups].map(([label, some]) => (some.length > 1 ? `${label} (${some.length} times)` : label))
}

/** The subject and the field of a value, an edge without its number: what both forms of a line share. */
function beginningOf(text: string): string {
  return text.replace(/: .*$/, '').replace(/ \(\d+ times\)$/, '')
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
