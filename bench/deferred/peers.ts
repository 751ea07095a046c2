/**
 * Other ways to find tools by words, beside the ranking of `deferTools`: MiniSearch (BM25+) over the same fields, with its own
 * defaults and with prefixes and misspellings, and a regular expression of the request's words, in which the most matches win.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ToolDescription } from 'troupe'

/** The names of the tools that fit a request, the best first. */
export type Finder = (request: string, limit: number) => readonly string[]

interface Engine {
  addAll(documents: readonly object[]): void
  search(query: string, options: object): readonly { readonly id: string }[]
}

/** A pinned version, which has no dependencies of its own. */
const miniSearch = 'minisearch@7.2.0'

/** Installs MiniSearch into a temporary folder, and makes the finders over `tools`. */
export async function peersOver(
  tools: readonly ToolDescription[],
): Promise<readonly (readonly [name: string, find: Finder])[]> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-search-'))
  try {
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', miniSearch]
    await promisify(execFile)('npm', args)
    const MiniSearch = createRequire(join(folder, 'index.js'))('minisearch') as new (
      options: object,
    ) => Engine
    const engine = new MiniSearch({
      fields: ['name', 'description', 'parameters'],
      idField: 'name',
      tokenize: lowerWords,
    })
    engine.addAll(tools.map(textsOf))
    const searching =
      (options: object): Finder =>
      (request, limit) =>
        engine
          .search(request, { boost: { name: 3 }, ...options })
          .slice(0, limit)
          .map(({ id }) => id)
    return [
      [miniSearch, searching({})],
      [`${miniSearch}, prefixes and misspellings`, searching({ prefix: true, fuzzy: 0.2 })],
      ['a regular expression of the words', matching(tools)],
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function lowerWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function textsOf({ name, description, parameters }: ToolDescription) {
  const described = Object.entries(
    (parameters['properties'] ?? {}) as Record<string, { description?: string }>,
  )
  const said = described.map(([parameter, { description: text = '' }]) => `${parameter} ${text}`)
  return { name, description, parameters: said.join(' ') }
}

/** Words of at least three characters, over names and descriptions. */
function matching(tools: readonly ToolDescription[]): Finder {
  return (request, limit) => {
    const words = lowerWords(request).filter(({ length }) => length >= 3)
    return tools
      .map(({ name, description }) => {
        const text = `${name} ${description}`
        return { name, matches: words.filter((word) => new RegExp(word, 'i').test(text)).length }
      })
      .filter(({ matches }) => matches > 0)
      .toSorted((one, other) => other.matches - one.matches)
      .slice(0, limit)
      .map(({ name }) => name)
  }
}
