/**
 * Builds the modules of `dist`: one for each subpath of the package, with chunks for what they share, since a hundred
 * modules take Node twice as long to load. What is imported lazily stays a chunk of its own, and packages stay outside.
 * They keep the names and lines of the sources, so that they are read and debugged without maps.
 *
 * Each module of a subpath imports the check of the Node version before anything else.
 *
 * \`dist/cjs\` has the same as CommonJS, for test runners and tools that load nothing else. Node, Bun and Deno never load it: their
 * \`require\` takes the modules, so that a process has one copy. It is made short, since the package would hold all twice.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Plugin, RenderedChunk } from 'rolldown'
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
const threads = {
  'sqlite/database-worker': './src/sqlite/worker/database-worker.ts',
  'code-mode/interpreter-thread': './src/code-mode/interpreter/interpreter-thread.ts',
}

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
  const common = {
    cwd: root,
    external: /^(?!nanoid$)[^./]/,
    platform: 'neutral',
    tsconfig: false,
    resolve: { conditionNames: ['browser', 'import'] as string[] }, // of nanoid: the form that needs no Node
  } as const
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
  const forRequire = await build({
    ...common,
    input: { ...nodeCheck, ...entries },
    platform: 'node',
    plugins: [withoutBarrels(root), besideTheModules(root)],
    output: {
      dir: join(dist, 'cjs'),
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name].cjs',
      dynamicImportInCjs: false, // Jest has \`import()\` behind a flag
      banner: ({ name, fileName }: RenderedChunk) =>
        name in entries ? `require(${JSON.stringify(toNodeCheck(fileName, 'cjs'))})` : '',
      minify: true,
      charset: 'ascii',
    },
  })
  const written = [
    ...modules.output.map(({ fileName }) => join(dist, fileName)),
    ...forRequire.output.map(({ fileName }) => join(dist, 'cjs', fileName)),
  ]
  removeOthers(dist, /\.(js|js\.map|cjs)$/, [...written, command, page])
  // Last: its time is that of the build.
  writeFileSync(
    command,
    `#!/usr/bin/env node\nimport './assert-node.js'\nawait import('./inspector/program.js')\n`,
    { mode: 0o755 },
  )
}

/** Threads and the page of the inspector stand beside the modules alone. */
function besideTheModules(folder: string): Plugin {
  const moved: Readonly<Record<string, readonly [string, string]>> = {
    'src/sqlite/worker/ask-worker.ts': [
      '`./database-worker.${extension}`',
      "'../../sqlite/database-worker.js'",
    ],
    'src/code-mode/interpreter/interpreter.ts': [
      '`./interpreter-thread.${extension}`',
      "'../../code-mode/interpreter-thread.js'",
    ],
    'src/inspector/server/page-files.ts': ['new URL(path,', "new URL('../../inspector/' + path,"],
  }
  return {
    name: 'beside-the-modules',
    transform(code, id) {
      const [from, to] = moved[relative(folder, id)] ?? []
      if (from === undefined || to === undefined) return null
      if (!code.includes(from)) throw new Error(`${id} has no ${from}.`)
      return { code: code.replace(from, to), map: null }
    },
  }
}

/** `from`: a file in its folder. */
function toNodeCheck(from: string, extension: string): string {
  const path = relative(dirname(from), `assert-node.${extension}`)
  return path.startsWith('.') ? path : `./${path}`
}
