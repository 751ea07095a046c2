/** The text of a golden graph, read again: its machine, its transitions, its edges, and in groups its values. */
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
  /** In groups, each field with its values, as `starts bank · input.euros: 5`. */
  readonly values: readonly string[]
}

/** Git may check a file out with CRLF. Throws a `ConfigurationError` for a text that is no golden graph. */
export function readGolden(text: string): Golden {
  const lines = text.split(/\r?\n/)
  const title = lines[0] ?? ''
  if (!title.startsWith('# ') || !lines.includes(transitionsHeading))
    throw new ConfigurationError('The text is no golden graph: goldenOf() makes one.')
  const sections = sectionsOf(lines)
  const contentOf = (name: string) => sections.find(([heading]) => heading === name)?.[1] ?? []
  return {
    machine: title.slice(2),
    transitions: contentOf(transitionsHeading),
    edges: sections.flatMap(([heading, content]) => (isOfEdges(heading) ? edgesIn(heading, content) : [])),
    values: valuesIn(contentOf(valuesHeading)),
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

/** A subject is a line, and its fields the indented lines below it. */
function valuesIn(content: readonly string[]): readonly string[] {
  let subject = ''
  return content.flatMap((line) => {
    if (line.startsWith('  ')) return [`${subject} · ${line.trim()}`]
    subject = line
    return []
  })
}
