/**
 * Installs the peers into a temporary folder, each into a folder of its own: their versions of shared packages differ. The
 * lock files name no registry, so that npm takes that of the machine. Install scripts do not run.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPacked } from '../footprint/packed-project.ts'

const here = import.meta.dirname

/** `given`: a folder to use again, which is then kept. Packages that it has are not installed again. `names`: default: all. */
export function installPeers(
  given: string | undefined,
  names: readonly string[] = readdirSync(join(here, 'packages')),
): Disposable & { readonly folder: string } {
  const folder = given ?? mkdtempSync(join(tmpdir(), 'troupe-peers-'))
  const remove = (): void => {
    if (given === undefined) rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const name of names) install(join(here, 'packages', name), join(folder, name))
    installTroupe(join(folder, 'troupe'))
    return { folder, [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** One of them alone. Returns its folder. */
export function installPeer(name: string, folder: string): string {
  const into = join(folder, name)
  install(join(here, 'packages', name), into)
  return into
}

function install(from: string, into: string): void {
  cpSync(from, into, { recursive: true })
  copyContestants(into)
  if (existsSync(join(into, 'node_modules'))) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: into, encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`npm ci in ${into} ended with ${status}:\n${stdout}${stderr}`)
}

/** Always anew: its code is that of the repository. */
function installTroupe(into: string): void {
  using project = installPacked()
  rmSync(into, { recursive: true, force: true })
  cpSync(project.folder, into, { recursive: true, verbatimSymlinks: true })
  copyContestants(into)
}

function copyContestants(into: string): void {
  cpSync(join(here, 'contestants'), join(into, 'contestants'), { recursive: true })
}
