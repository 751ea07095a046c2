/**
 * Writes every export of every entry with its declaration into docs/design/api-report.txt: a change of the API is a change of
 * this text, and shows in review. It holds the marks too: a value of an experimental entry says so where an editor shows
 * it, and docs/reference/stability.md lists each entry as the source marks it. With `--check` it writes nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableAfter } from '../../test/support/markdown.ts'
import { surfacesOf, type Surface } from './declared.ts'
import { entriesOf, root } from './entries.ts'

const path = join(root, 'docs/design/api-report.txt')
/** For hosts within this package alone: its names are nobody's API. */
const internal = './kit/host'

const surfaces = surfacesOf(entriesOf().filter(({ subpath }) => subpath !== internal))
const bare = surfaces.flatMap(({ entry, isExperimental, names }) =>
  isExperimental
    ? names
        .filter((declared) => declared.isValue && !declared.isExperimental)
        .map(({ name, identity }) => `${entry.name} ${name} (${identity})`)
    : [],
)
if (bare.length > 0)
  throw new Error(['Values of experimental entries without the mark:', ...bare].join('\n  '))
assertListed(surfaces)

const current = reportOf(surfaces)
const before = readFileSync(path, 'utf8')
if (before === current) console.log('docs/design/api-report.txt is current.')
else if (process.argv.includes('--check')) {
  console.error(
    `docs/design/api-report.txt is not current. Run "npm run api".\n${firstDifference(before, current)}`,
  )
  process.exitCode = 1
} else {
  writeFileSync(path, current)
  console.log('Wrote docs/design/api-report.txt.')
}

function reportOf(all: readonly Surface[]): string {
  const told = new Map<string, string>()
  const chapters = all.map(({ entry, isExperimental, names }) => {
    const lines = names.map((declared) => {
      const mark = declared.isExperimental ? '@experimental ' : ''
      const place = told.get(declared.identity)
      if (place !== undefined) return `${declared.name}: as in ${place}`
      told.set(declared.identity, entry.name)
      return `${mark}${declared.text}`
    })
    return `# ${entry.name}${isExperimental ? ' (experimental)' : ''}\n\n${lines.join('\n')}\n`
  })
  return chapters.join('\n')
}

/** Throws where the page about stability does not list the entries with the marks of the source. */
function assertListed(all: readonly Surface[]): void {
  const page = readFileSync(join(root, 'docs/reference/stability.md'), 'utf8')
  const listed = tableAfter(page, '<!-- entries -->').map(([name = '', mark = '']) => `${name} ${mark}`)
  const marked = all.map(
    ({ entry, isExperimental }) => `\`${entry.name}\` ${isExperimental ? 'experimental' : 'stable'}`,
  )
  const expected = [...marked, '`troupe/kit/host` internal'].toSorted()
  const differing = expected.filter((line) => !listed.includes(line))
  if (differing.length > 0 || listed.length !== expected.length)
    throw new Error(
      `docs/reference/stability.md does not list the entries as the source marks them:\n  ${differing.join('\n  ')}`,
    )
}

function firstDifference(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const index = now.findIndex((line, place) => line !== old[place])
  return `Line ${index + 1}:\n- ${old[index] ?? ''}\n+ ${now[index] ?? ''}`
}
