/**
 * Runs the packed package on the runtimes, bundlers, compilers, test runners and package managers that docs/run/supported.md
 * names. They are installed into a temporary folder: with their gigabyte they are too large for development dependencies.
 * `--all` adds what takes minutes.
 */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, StrangerProject } from './stranger-project.ts'
import { checkCreateTroupe } from './supported/create-troupe.ts'
import { checkEnvironments, packagesOf } from './supported/environments.ts'
import { checkInstalls } from './supported/installs.ts'
import { checkPeers } from './supported/peers.ts'
import { installTools, type ToolName } from './supported/tools.ts'

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json')
/** A script of pages exports nothing. */
const isScript = (subpath: string): boolean => subpath.endsWith('.js')
const named = (subpath: string): string => join(manifest.name, subpath)
const entries = subpaths.filter((subpath) => !isScript(subpath)).map(named)
const scripts = subpaths.filter(isScript).map(named)
const withAll = process.argv.includes('--all')

using project = new StrangerProject()
const peers = Object.entries(manifest.peerDependencies).map(([name, range]) => `${name}@${range}`)
project.install(['zod', ...peers, ...packagesOf({ withAll })])
checkInstalls(project)
const programs = join(import.meta.dirname, 'supported')
for (const file of readdirSync(programs)) {
  if (/\.[cm](js|ts)$/.test(file)) copyFileSync(join(programs, file), join(project.directory, file))
}
const installed = installTools(project)

/** Runs a tool once for each list of arguments. */
function check(name: ToolName, ...runs: readonly (readonly string[])[]): void {
  const file = installed.fileOf(name)
  if (file !== undefined) for (const args of runs) project.run(file, args)
}

const loadsEntries = ['entries.cjs', ...entries]
check('node-lowest', ['program.mjs'], loadsEntries)
project.run('node', ['program.mjs'])
project.run('node', loadsEntries)
// A server that renders a page imports its scripts too.
for (const script of scripts) project.run('node', ['--eval', `import(${JSON.stringify(script)})`])
check('node-newest', ['program.mjs'], loadsEntries)
for (const tooOld of ['node-20', 'node-18'] as const) check(tooOld, ['refused.cjs', ...entries])

check('bun', ['program.mjs'], loadsEntries)
const onDeno = ['run', '--allow-all']
check('deno', [...onDeno, 'program.mjs'], [...onDeno, ...loadsEntries])

const bundle = (program: string, platform: string, format: string, to: string): readonly string[] => [
  program,
  '--bundle',
  `--platform=${platform}`,
  `--format=${format}`,
  `--outfile=${to}`,
  '--log-level=warning',
]
check(
  'esbuild',
  bundle('program.mjs', 'node', 'esm', 'bundle.mjs'),
  bundle('program.mjs', 'node', 'cjs', 'bundle.cjs'),
  bundle('browser.mjs', 'browser', 'esm', 'bundle-for-browsers.mjs'),
)
if (!installed.missing.includes('esbuild')) {
  for (const file of ['bundle.mjs', 'bundle.cjs']) project.run('node', [file, '--without-threads'])
  project.run('node', ['bundle-for-browsers.mjs'])
}

const common = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
}
const projects = {
  nodenext: { ...common, module: 'nodenext' },
  bundler: { ...common, module: 'esnext', moduleResolution: 'bundler' },
}
for (const [name, compilerOptions] of Object.entries(projects)) {
  project.write(`tsconfig.${name}.json`, { compilerOptions, files: ['typed.mts'] })
  for (const version of ['typescript-lowest', 'typescript-5.4'] as const) {
    const compiler = installed.fileOf(version)
    if (compiler !== undefined) project.run('node', [compiler, '-p', `tsconfig.${name}.json`])
  }
}

project.run('node', ['node_modules/troupe/dist/troupe.js', 'example', '02'])
checkPeers(project, entries, manifest.peerDependencies)
checkEnvironments(project, installed, { withAll })
checkCreateTroupe(project)

if (installed.missing.length > 0) {
  console.error(
    `\nNOT CHECKED, since npm does not have them for this platform: ${installed.missing.join(', ')}.`,
  )
}
if (!withAll) console.log('\n`npm run supported -- --all` also checks what takes minutes.')
console.log('\nThe package works on all that was checked.')
