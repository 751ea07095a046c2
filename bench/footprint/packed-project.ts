/**
 * Troupe as a user gets it: built and packed from a copy, so that `dist` is left alone, and installed into an empty
 * project. What is measured of an installation is measured there.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

const copied = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'LICENSE',
  'README.md',
  'src',
  'scripts',
]

export interface PackedProject extends Disposable {
  readonly folder: string
}

export function installPacked(): PackedProject {
  const home = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
  const remove = (): void => rmSync(home, { recursive: true, force: true })
  try {
    const copy = join(home, 'package')
    const folder = join(home, 'project')
    for (const made of [copy, folder]) mkdirSync(made)
    for (const file of copied) cpSync(join(root, file), join(copy, file), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    run('npm', ['run', 'build'], copy)
    const packed = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', home], copy)
    const [tarball] = JSON.parse(packed) as { readonly filename: string }[]
    if (tarball === undefined) throw new Error('npm pack made nothing.')
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    run(
      'npm',
      ['install', '--prefer-offline', '--no-audit', '--no-fund', join(home, tarball.filename)],
      folder,
    )
    return { folder, [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}
