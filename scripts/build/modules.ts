/**
 * Builds the modules of `dist`: one for each subpath of the package, with chunks for what they share, since a hundred
 * modules take Node twice as long to load. What is imported lazily stays a chunk of its own, and packages stay outside.
 * They keep the names and lines of the sources, so that they are read and debugged without maps.
 *
 * Each module of a subpath imports the check of the Node version before anything else. Beside it stands a CommonJS module
 * for `require`, which makes that check too: a Node that cannot load the other could not tell why.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { RenderedChunk } from 'rolldown'
import { folder as page } from '../page/build-page.ts'
import { isFresh } from './freshness.ts'
import { removeOthers } from './remove-others.ts'
import { sharedChunks } from './shared-chunks.ts'
import { withoutBarrels } from './without-barrels.ts'

export const root = join(import.meta.dirname, '../..')
export const dist = join(root, 'dist')

/** npm makes this file a command. It loads the program after the check of the Node version. */
const command = join(dist, 'troupe.js')

interface Manifest {
  readonly exports: Readonly<
    Record<string, string | { readonly 'troupe-source': string; readonly default: string }>
  >
}

/** The sources of the subpaths, by the names of their modules in `dist`. */
export function subpaths(): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  return Object.fromEntries(
    Object.entries(manifest.exports).flatMap(([subpath, target]) => {
      if (typeof target === 'string') return []
      const name = /^\.\/dist\/(.+)\.js$/.exec(target.default)?.[1]
      if (name === undefined) throw new Error(`package.json: "${subpath}" is not a module in dist.`)
      return [[name, target['troupe-source']]]
    }),
  )
}

/** Modules that run in a thread of their own: they are found beside the module that starts them. */
const threads = { 'sqlite/database-worker': './src/sqlite/worker/database-worker.ts' }

const program = { 'inspector/program': './src/inspector/cli/main.ts' }

const nodeCheck = { 'assert-node': './src/entry/assert-node.ts' }

/**
 * Builds the modules where they are missing, or older than their sources, and removes those that have no source any more.
 * Their declarations are not built.
 */
export async function ensureModules(): Promise<void> {
  const sources = [join(root, 'src'), join(root, 'package.json'), import.meta.dirname]
  if (!isFresh(command, sources)) await buildModules()
}

export async function buildModules(): Promise<void> {
  const { build } = await import('rolldown')
  const common = { cwd: root, external: /^[^./]/, platform: 'neutral', tsconfig: false } as const
  const entries = subpaths()
  const input = { ...nodeCheck, ...entries, ...threads, ...program }
  const shared = sharedChunks(root, input)
  const modules = await build({
    ...common,
    input,
    plugins: [withoutBarrels(root), shared.plugin],
    output: {
      dir: dist,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      codeSplitting: shared.codeSplitting,
      banner: ({ name, fileName }: RenderedChunk) =>
        name in entries ? `import ${JSON.stringify(toNodeCheck(fileName, 'js'))}` : '',
      // V8 keeps a text with one other character in twice the memory, and takes longer to read it.
      charset: 'ascii',
      comments: { legal: true, annotation: true, jsdoc: false },
    },
  })
  const checks = await build({
    ...common,
    input: nodeCheck,
    output: { dir: dist, entryFileNames: '[name].cjs', format: 'cjs' },
  })
  const forRequire = Object.keys(entries).map((name) => `${name}.cjs`)
  for (const name of Object.keys(entries)) {
    const lines = [
      "'use strict'",
      `require(${JSON.stringify(toNodeCheck(name, 'cjs'))})`,
      `module.exports = require('./${basename(name)}.js')`,
    ]
    writeFileSync(join(dist, `${name}.cjs`), `${lines.join('\n')}\n`)
  }
  const built = [...modules.output, ...checks.output].map(({ fileName }) => fileName)
  const written = [...built, ...forRequire].map((name) => join(dist, name))
  removeOthers(dist, /\.(js|js\.map|cjs)$/, [...written, command, page])
  // Last: its time is that of the build.
  writeFileSync(
    command,
    `#!/usr/bin/env node\nimport './assert-node.js'\nawait import('./inspector/program.js')\n`,
    { mode: 0o755 },
  )
}

/** `from`: a file in `dist`. */
function toNodeCheck(from: string, extension: string): string {
  const path = relative(dirname(from), `assert-node.${extension}`)
  return path.startsWith('.') ? path : `./${path}`
}
