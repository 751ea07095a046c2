/**
 * Builds `dist`: a module for each subpath of the package, with chunks for what they share, since a hundred modules take
 * Node twice as long to load; and the declarations, one for each source file. What is imported lazily stays a chunk of
 * its own, and packages stay outside. The sources are in the package, so their maps need not hold them. The page of the inspector is a bundle of its own.
 *
 * Each module of a subpath imports the check of the Node version before anything else. Beside it stands a CommonJS module
 * for `require`, which makes that check too: a Node that cannot load the other could not tell why.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build, type RenderedChunk } from 'rolldown'
import { buildPage } from './page/build-page.ts'
import { sharedChunks } from './shared-chunks.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

interface Manifest {
  readonly exports: Readonly<
    Record<string, string | { readonly 'troupe-source': string; readonly default: string }>
  >
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** The sources of the subpaths, by the names of their modules in `dist`. */
const entries = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return []
    const name = /^\.\/dist\/(.+)\.js$/.exec(target.default)?.[1]
    if (name === undefined) throw new Error(`package.json: "${subpath}" is not a module in dist.`)
    return [[name, target['troupe-source']]]
  }),
)

/** Modules that run in a thread of their own: they are found beside the module that starts them. */
const threads = { 'sqlite/database-worker': './src/sqlite/worker/database-worker.ts' }

/** The program of the package: npm makes `dist/troupe.js` a command, which loads it after the check of the Node version. */
const program = { 'inspector/program': './src/inspector/cli/main.ts' }

const nodeCheck = { 'assert-node': './src/entry/assert-node.ts' }

/** `from`: a file in `dist`. */
function toNodeCheck(from: string, extension: string): string {
  const path = relative(dirname(from), `assert-node.${extension}`)
  return path.startsWith('.') ? path : `./${path}`
}

const common = { cwd: root, external: /^[^./]/, platform: 'neutral', tsconfig: false } as const

const input = { ...nodeCheck, ...entries, ...threads, ...program }
const shared = sharedChunks(root, input)

rmSync(dist, { recursive: true, force: true })
await build({
  ...common,
  input,
  plugins: [shared.plugin],
  output: {
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: shared.codeSplitting,
    banner: ({ name, fileName }: RenderedChunk) =>
      name in entries ? `import ${JSON.stringify(toNodeCheck(fileName, 'js'))}` : '',
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
})
await build({
  ...common,
  input: nodeCheck,
  output: { dir: dist, entryFileNames: '[name].cjs', format: 'cjs' },
})
await buildPage()
writeFileSync(
  join(dist, 'troupe.js'),
  `#!/usr/bin/env node\nimport './assert-node.js'\nawait import('./inspector/program.js')\n`,
  { mode: 0o755 },
)
for (const name of Object.keys(entries)) {
  const lines = [
    "'use strict'",
    `require(${JSON.stringify(toNodeCheck(name, 'cjs'))})`,
    `module.exports = require('./${basename(name)}.js')`,
  ]
  writeFileSync(join(dist, `${name}.cjs`), `${lines.join('\n')}\n`)
  writeFileSync(join(dist, `${name}.d.cts`), `export * from './${basename(name)}.js'\n`)
}

const compiler = join(root, 'node_modules/typescript/bin/tsc')
const { status, error } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (error !== undefined) throw error
if (status !== 0) throw new Error(`tsc ended with ${status}.`)
