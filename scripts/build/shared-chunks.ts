/**
 * The chunks for code that the main module shares with other modules of the package. Without them the bundler makes a chunk
 * for each set of entries that share a module: some thirty files that `import 'troupe'` would open one by one.
 *
 * - `base`: modules below the runtime that a subpath without agents needs too, and that need no package, as errors and
 *   readers of options.
 * - `runs`: such modules of the runtime, as the fields of signals and of lists of runs.
 * - `schemas`: such modules that need zod, as the schemas of messages.
 * - `inspection`: such modules that need XState, and modules that the inspector of Stately needs. It loads no chart.
 * - `core`: all other modules that are shared, as charts and the engine.
 * - `patterns`: those of them that only modules which define agents need, as the parts of their charts.
 *
 * A chunk imports only those before it in this list, so that a subpath loads no package that it has no use for. The thread
 * of the SQLite store, for example, starts without zod.
 */
import { isAbsolute, join } from 'node:path'
import type { OutputOptions, Plugin } from 'rolldown'

const main = 'index'

/** Entries that need the engine and its charts, so that they may load all that the main module loads. */
const withEngine: ReadonlySet<string> = new Set([
  main,
  'testing/index',
  'restate/index',
  'a2a/index',
  'code-mode/index',
  'mastra/index',
  'standalone/index',
  'inspector/index',
  'inspector/program',
  'kit/index',
  'kit/host',
])

/** Those of them that need the charts of all patterns, beside the main module. */
const withPatterns: ReadonlySet<string> = new Set(['a2a/index', 'standalone/index', 'kit/index', 'kit/host'])

/** They pass on names of all rooms. */
const kits: ReadonlySet<string> = new Set(['kit/index', 'kit/host'])

const inspectors: ReadonlySet<string> = new Set(['inspect-stately/index'])

const chunks = ['base', 'runs', 'schemas', 'inspection', 'core', 'patterns'] as const

type Chunk = (typeof chunks)[number]

interface Module {
  /** Ids of the modules and packages that it imports at once. */
  readonly imported: readonly string[]
  /** Those that it imports lazily. */
  readonly lazy: readonly string[]
}

type Modules = ReadonlyMap<string, Module>

export interface SharedChunks {
  /** Reads the graph of modules before the chunks are made. */
  readonly plugin: Plugin
  readonly codeSplitting: Exclude<OutputOptions['codeSplitting'], boolean | undefined>
}

/** `input`: the sources of the entries by their names, as the bundler is given them. */
export function sharedChunks(root: string, input: Readonly<Record<string, string>>): SharedChunks {
  let chunkOf: ReadonlyMap<string, Chunk> = new Map()
  return {
    plugin: {
      name: 'shared-chunks',
      buildEnd() {
        const modules = new Map<string, Module>()
        for (const id of this.getModuleIds()) {
          const info = this.getModuleInfo(id)
          if (info === null || !isAbsolute(id)) continue // a package
          modules.set(id, { imported: info.importedIds, lazy: info.dynamicallyImportedIds })
        }
        const sources = Object.entries(input).map(([name, source]) => [name, join(root, source)] as const)
        chunkOf = chunksOf(modules, new Map(sources), join(root, 'src/runtime/'))
      },
    },
    codeSplitting: {
      groups: chunks.map((name, index) => ({
        name,
        priority: chunks.length - index,
        test: (id) => chunkOf.get(id) === name,
      })),
    },
  }
}

function chunksOf(
  modules: Modules,
  entries: ReadonlyMap<string, string>,
  runtime: string,
): Map<string, Chunk> {
  const lazy = [...modules.values()].flatMap((module) => module.lazy).map((id) => [id, id] as const)
  const needed = [...entries, ...lazy].map(([name, id]) => [name, reachable(id, modules)] as const)
  const chunkOf = new Map<string, Chunk>()
  for (const id of reachable(entries.get(main) ?? '', modules)) {
    const others = needed.filter(([name, ids]) => name !== main && ids.has(id)).map(([name]) => name)
    if (modules.has(id) && others.length > 0) chunkOf.set(id, chunkFor(id, others, modules, runtime))
  }
  return chunkOf
}

function chunkFor(id: string, needing: readonly string[], modules: Modules, runtime: string): Chunk {
  const light = needing.filter((name) => !withEngine.has(name) && !modules.has(name))
  if (needing.every((name) => kits.has(name))) return 'core'
  if (light.length === 0) return needing.every((name) => withPatterns.has(name)) ? 'patterns' : 'core'
  const packages = [...reachable(id, modules)].filter((reached) => !modules.has(reached))
  if (packages.length === 0) return id.startsWith(runtime) ? 'runs' : 'base'
  if (light.every((name) => inspectors.has(name))) return 'inspection'
  return packages.every((name) => name.startsWith('zod')) ? 'schemas' : 'inspection'
}

/** A module, and all modules and packages that it imports at once, directly or not. */
function reachable(id: string, modules: Modules): ReadonlySet<string> {
  const reached = new Set([id])
  for (const one of reached) for (const imported of modules.get(one)?.imported ?? []) reached.add(imported)
  return reached
}
