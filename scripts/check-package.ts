/**
 * Packs the built package and looks at it as a user does: publint and attw read the tarball, an empty project
 * installs it, its types are compiled against, and a program runs on it under plain node.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const project = mkdtempSync(join(tmpdir(), 'troupe-package-'))

/** Strict, libraries included, and without the types of node: the package must not need them. */
const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable', 'dom'],
  module: 'nodenext',
  strict: true,
  types: [],
  noEmit: true,
}

try {
  const tarball = join(project, pack())
  run('publint', [tarball, '--strict'])
  run('attw', [tarball, '--profile', 'esm-only'])

  copyFileSync(join(import.meta.dirname, 'smoke.ts'), join(project, 'smoke.ts'))
  write('package.json', { private: true, type: 'module' })
  write('tsconfig.json', { compilerOptions, include: ['smoke.ts'] })
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', tarball])
  run('tsc', ['-p', '.'])
  run('node', ['smoke.ts'])
} finally {
  rmSync(project, { recursive: true, force: true })
}

function pack(): string {
  const packed = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], root)
  const [first] = JSON.parse(packed) as { filename: string }[]
  if (first === undefined) throw new Error('npm pack made nothing.')
  return first.filename
}

function write(name: string, content: object): void {
  writeFileSync(join(project, name), JSON.stringify(content))
}

/** Runs one of our tools in the project; what it prints is shown, and returned. */
function run(command: string, args: readonly string[], cwd = project): string {
  console.log(`\n$ ${command} ${args.join(' ')}`)
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
  })
  if (error !== undefined) throw error
  if (!args.includes('--json')) process.stdout.write(stdout)
  if (status !== 0) throw new Error(`${command} ended with ${status}.`)
  return stdout
}
