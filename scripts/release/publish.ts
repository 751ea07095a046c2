/**
 * Publishes `troupe` and then `create-troupe`, each from its stage: `npm run release`, after `npm run release:check` has passed. A
 * version that npm has by now is left out, so that a release which stopped between them goes on. Arguments go to npm: `npm run
 * release -- --dry-run`. Provenance needs the workflow of releases, where npm knows the place of the build.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readManifest, root } from './manifest.ts'
import { stagedCreateTroupe, stagedTroupe } from './stage.ts'

const given = process.argv.slice(2)
const isDry = given.includes('--dry-run')
const checked = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'check.ts'), ...(isDry ? ['--placeholders'] : [])],
  { cwd: root, stdio: 'inherit' },
)
process.exitCode = checked.status ?? 1
if (process.exitCode === 0) {
  const { name, version } = readManifest()
  using troupe = stagedTroupe()
  using create = stagedCreateTroupe()
  process.exitCode = published(name, version, troupe.directory)
  if (process.exitCode === 0) process.exitCode = published('create-troupe', version, create.directory)
}

/** The status of npm. */
function published(name: string, version: string, directory: string): number {
  if (!isDry && isOnNpm(`${name}@${version}`)) {
    console.log(`npm has ${name}@${version}.`)
    return 0
  }
  return spawnSync('npm', ['publish', directory, ...given], { stdio: 'inherit' }).status ?? 1
}

/** npm ends with an error for a version that it does not have. */
function isOnNpm(version: string): boolean {
  const { status, stdout } = spawnSync('npm', ['view', version, 'version'], { encoding: 'utf8' })
  return status === 0 && stdout.trim() !== ''
}
