/** The text of a golden graph, read again: its machine, its transitions, and its edges. */
import { ConfigurationError } from '../../errors.ts'

export const transitionsHeading = '## Transitions'
export const edgesHeading = '## Edges'
export const valuesHeading = '## Values'
export const inputsHeading = '## Inputs'

export interface Golden {
  readonly machine: string
  readonly transitions: readonly string[]
  /** Each edge as a text; in groups, the group with the digest of the edge. */
  readonly edges: readonly string[]
}

/** Throws a `ConfigurationError` for a text that is no golden graph. */
export function readGolden(text: string): Golden {
  const lines = text.split('\n')
  const title = lines[0] ?? ''
  if (!title.startsWith('# ') || !lines.includes(transitionsHeading))
    throw new ConfigurationError('The text is no golden graph: goldenOf() makes one.')
  return {
    machine: title.slice(2),
    transitions: sectionsOf(lines).find(([heading]) => heading === transitionsHeading)?.[1] ?? [],
    edges: sectionsOf(lines).flatMap(([heading, content]) =>
      isOfEdges(heading) ? edgesIn(heading, content) : [],
    ),
  }
}

type Section = readonly [heading: string, content: readonly string[]]

function sectionsOf(lines: readonly string[]): readonly Section[] {
  const starts = lines.flatMap((line, at) => (line.startsWith('## ') ? [at] : []))
  return starts.map((start, index) => [
    lines[start] ?? '',
    lines.slice(start + 1, starts[index + 1]).filter((line) => line !== ''),
  ])
}

function isOfEdges(heading: string): boolean {
  return ![transitionsHeading, valuesHeading, inputsHeading].includes(heading)
}

/** An entry is a line and the indented lines below it. */
function edgesIn(heading: string, content: readonly string[]): readonly string[] {
  const isGrouped = heading === edgesHeading
  const starts = content.flatMap((line, at) => (line.startsWith('  ') ? [] : [at]))
  return starts.flatMap((start, index) => {
    const entry = content.slice(start, starts[index + 1])
    if (!isGrouped) return [entry.join('\n')]
    const digests = entry.slice(1).flatMap((line) => line.trim().slice(1).split(' '))
    return digests.map((digest) => `${entry[0] ?? ''} #${digest}`)
  })
}
