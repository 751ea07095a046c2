/**
 * Looks at the packages as they would be published: `npm run release:check`. It fails for a placeholder in `package.json`, for a version
 * without a chapter in the changelog, for changesets that no version has yet, for a link of a page that leads nowhere, and
 * for a file that must not be there. With `--placeholders` it lets the placeholders be, as CI does.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsIn, ofCreateTroupe } from './faults.ts'
import { placeholdersIn, readManifest, root } from './manifest.ts'
import { deadTargets, relativeTargets } from './npm-readme.ts'
import { placesOf, stagedCreateTroupe, stagedTroupe } from './stage.ts'
import type { StagedFile } from './staged.ts'

const isDraft = process.argv.includes('--placeholders')
const manifest = readManifest()
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const pending = readdirSync(join(root, '.changeset')).filter((name) => name.endsWith('.md'))

using stage = stagedTroupe()
using create = stagedCreateTroupe()
const has = placesOf(stage)
const faults = [
  ...(isDraft ? [] : placeholdersIn(manifest).map((field) => `package.json has a placeholder in ${field}`)),
  ...(isDraft
    ? []
    : pending.map((name) => `.changeset/${name} is in no version. Run "npx changeset version".`)),
  ...(changelog.includes(`\n## ${manifest.version}\n`)
    ? []
    : [`CHANGELOG.md has no chapter "${manifest.version}".`]),
  ...[stage, create].flatMap((staged) =>
    relativeTargets(staged.read('README.md')).map(
      (target) => `A README of npm leads to ${target}, which is not there.`,
    ),
  ),
  ...[...stage.texts].flatMap(([page, text]) =>
    page.endsWith('.md') && page !== 'README.md'
      ? deadTargets(text, { page, has }).map(
          (target) => `${page} leads to ${target}, which is not in the package.`,
        )
      : [],
  ),
  ...faultsIn(stage.texts),
  ...faultsIn(create.texts, ofCreateTroupe).map((fault) => `create-troupe: ${fault}`),
]

print(manifest.name, stage.files)
print('create-troupe', create.files)
if (faults.length > 0) {
  console.error(['It cannot be published:', ...faults].join('\n- '))
  process.exitCode = 1
}

function print(name: string, files: readonly StagedFile[]): void {
  const bytes = new Map<string, { files: number; bytes: number }>()
  for (const { path, size } of files) {
    const folder = path.split('/').slice(0, -1).slice(0, 2).join('/')
    const sum = bytes.get(folder) ?? { files: 0, bytes: 0 }
    bytes.set(folder, { files: sum.files + 1, bytes: sum.bytes + size })
  }
  for (const [folder, sum] of [...bytes].toSorted(([one], [other]) => one.localeCompare(other)))
    console.log(`${String(sum.files).padStart(5)} ${String(sum.bytes).padStart(9)} ${folder || '.'}`)
  console.log(`${name} ${manifest.version}: ${files.length} files`)
}
