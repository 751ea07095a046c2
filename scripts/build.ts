/**
 * Builds `dist`: a module for each subpath of the package with chunks for what they share, since a hundred modules take
 * Node twice as long to load; and the declarations, one for each source file. Packages and lazy imports stay outside.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

type Target = string | { readonly 'troupe-source': string; readonly default: string }

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, Target>>
}

/** The source of each subpath by the name of its file in `dist`, without its ending. */
const entries = Object.fromEntries(
  Object.values(exports).flatMap((target) =>
    typeof target === 'string'
      ? []
      : [[/^\.\/dist\/(.+)\.js$/.exec(target.default)?.[1], target['troupe-source']]],
  ),
)

rmSync(dist, { recursive: true, force: true })
await build({
  cwd: root,
  input: entries,
  external: /^[^./]/,
  platform: 'neutral',
  tsconfig: false,
  output: {
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
  },
})

const compiler = join(root, 'node_modules/typescript/bin/tsc')
const { status, error } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (error !== undefined) throw error
if (status !== 0) throw new Error(`tsc ended with ${status}.`)
