/**
 * The packages that subpaths connect to, at the oldest version that the package allows. The newest ones are in the project
 * itself. A subpath that needs a newer one than the package allows is refused by name, and no other subpath is.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StrangerProject } from '../stranger-project.ts'

/** What a subpath needs beyond the range of the package, as docs/run/supported.md says. */
const needed: Readonly<Record<string, string>> = {
  '@a2a-js/sdk': '1.1.0',
  '@restatedev/restate-sdk': '1.16.1',
  '@restatedev/restate-sdk-clients': '1.16.1',
}

/** By subpath: what its error names where the version is older. */
const refusals: Readonly<Record<string, string>> = {
  'troupe/a2a': '@a2a-js/sdk',
  'troupe/restate': 'PEER_UNFIT',
}

/** `ranges`: by peer, `>=1.2.3` or `^1.2.3`. */
export function checkPeers(
  project: StrangerProject,
  entries: readonly string[],
  ranges: Readonly<Record<string, string>>,
): void {
  const folder = join(project.directory, 'oldest-peers')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  for (const file of ['entries.cjs', 'unfit.cjs', 'program.mjs', 'answer.mjs'])
    copyFileSync(join(import.meta.dirname, file), join(folder, file))
  const oldest = Object.fromEntries(
    Object.entries(ranges).map(([name, range]) => [name, range.replace(/^(?:>=|\^)/, '')]),
  )
  const install = (versions: Readonly<Record<string, string>>): void => {
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    const pinned = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
    project.run('npm', ['install', '--save-exact', ...quietly, project.tarball, ...pinned], folder)
  }
  install({ ...oldest, ...needed })
  project.run('node', ['entries.cjs', ...entries], folder)
  project.run('node', ['program.mjs'], folder)

  install(Object.fromEntries(Object.keys(needed).map((name) => [name, oldest[name] ?? ''])))
  for (const [entry, named] of Object.entries(refusals))
    project.run('node', ['unfit.cjs', entry, named], folder)
  const others = entries.filter((entry) => !(entry in refusals))
  project.run('node', ['entries.cjs', ...others], folder)
}
