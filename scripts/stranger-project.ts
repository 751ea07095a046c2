/**
 * A stranger's project: an empty folder away from the repository, into which the packed package is installed from
 * its tarball. It knows nothing of `src`, of our options of the compiler, or of what else we have installed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stagedTroupe } from './release/stage.ts'

export const root = join(import.meta.dirname, '..')
export const bin = join(root, 'node_modules/.bin')

/** Milliseconds for one command: no machine is so busy that it needs more. */
export const patience = 540_000

/**
 * What the npm that runs a script of ours was told is not for the npm of a stranger: `npm exec` refuses a second command.
 * Stores and locks of package managers are in `home`: a lock that a killed run has left stops no other run.
 */
export function strangersEnvironment(home: string): NodeJS.ProcessEnv {
  const told = new Set(['npm_config_call', 'npm_config_package', 'npm_config_loglevel'])
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !told.has(name)))
  const own = Object.fromEntries(
    ['TMPDIR', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'].map((name) => [
      name,
      join(home, name.toLowerCase()),
    ]),
  )
  for (const folder of Object.values(own)) mkdirSync(folder, { recursive: true })
  return { ...env, ...own, PATH: `${bin}:${env['PATH']}` }
}

/** A bundle is a line of a megabyte, which Node shows whole where it throws. */
function shortened(text: string | null): string {
  return (text ?? '').replaceAll(/^(.{500}).+$/gm, '$1…')
}

export class StrangerProject implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'troupe-package-'))
  /** Beside the project, which compilers read whole. */
  readonly home = `${this.directory}-home`
  readonly tarball: string
  /** The files of the package. */
  readonly files: readonly string[]
  /** Of all files, in bytes. */
  readonly unpackedSize: number

  constructor() {
    using stage = stagedTroupe()
    const packed = this.run(
      'npm',
      ['pack', '--ignore-scripts', '--json', '--pack-destination', this.directory],
      stage.directory,
    )
    const [first] = JSON.parse(packed) as {
      filename: string
      unpackedSize: number
      files: { path: string }[]
    }[]
    if (first === undefined) throw new Error('npm pack made nothing.')
    this.tarball = join(this.directory, first.filename)
    this.files = first.files.map(({ path }) => path)
    this.unpackedSize = first.unpackedSize
    this.write('package.json', { private: true, type: 'module' })
  }

  /** Installs the package, and `others` beside it. */
  install(others: readonly string[] = []): void {
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    this.run('npm', ['install', ...quietly, this.tarball, ...others])
  }

  write(name: string, content: object): void {
    writeFileSync(join(this.directory, name), JSON.stringify(content))
  }

  /** Runs a tool of ours in the project; what it prints is shown, and returned. Throws when it fails. */
  run(command: string, args: readonly string[], cwd = this.directory): string {
    console.log(`\n$ ${command} ${args.join(' ')}`)
    const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64_000_000,
      timeout: patience,
      env: strangersEnvironment(this.home),
    })
    if (!args.includes('--json')) process.stdout.write(shortened(stdout))
    process.stderr.write(shortened(stderr))
    if (error !== undefined) throw error
    if (status !== 0) throw new Error(`${command} ended with ${status ?? signal}.`)
    return stdout
  }

  /** Runs the compiler that is installed in our repository under `name`. */
  compile(name: string, project: string): string {
    return this.run('node', [join(root, 'node_modules', name, 'bin/tsc'), '-p', project])
  }

  [Symbol.dispose](): void {
    for (const folder of [this.directory, this.home]) rmSync(folder, { recursive: true, force: true })
  }
}
