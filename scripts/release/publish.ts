/**
 * Publishes the package from its stage: `npm run release`, after `npm run release:check` has passed. Arguments go to npm: `npm run
 * release -- --dry-run`. Provenance needs the workflow of releases, where npm knows the place of the build.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './manifest.ts'
import { Stage } from './stage.ts'

const given = process.argv.slice(2)
const isDry = given.includes('--dry-run')
const checked = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'check.ts'), ...(isDry ? ['--placeholders'] : [])],
  { cwd: root, stdio: 'inherit' },
)
if (checked.status === 0) {
  using stage = new Stage()
  const { status } = spawnSync('npm', ['publish', stage.directory, ...given], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else process.exitCode = checked.status ?? 1
