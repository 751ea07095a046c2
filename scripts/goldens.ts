/**
 * Writes the golden graph of every machine into test/machines/goldens/. With `--check` it writes nothing, fails where a golden
 * graph is not current, and says which edges are new and which are gone. Names of machines after that: of these alone.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compareGoldens } from 'troupe/testing'
import { allSuites } from '../test/machines/suites/all.ts'
import { allMachines } from './machines.ts'

const folder = 'test/machines/goldens'
const root = join(import.meta.dirname, '..')
/** Of a difference, so many edges are shown. */
const mostShown = 20

const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const isCheck = process.argv.includes('--check')

const names = allSuites.map(({ machine }) => machine.id)
const unsuited = (await allMachines()).map(({ id }) => id).filter((id) => !names.includes(id))
if (unsuited.length > 0) throw new Error(`test/machines/suites has no suite of ${unsuited.join(', ')}.`)

mkdirSync(join(root, folder), { recursive: true })
const stale: string[] = []
for (const { machine, golden } of allSuites) {
  const { id } = machine
  if (chosen.length > 0 && !chosen.includes(id)) continue
  const path = join(root, folder, `${id}.txt`)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const after = golden()
  if (before === after) continue
  stale.push(id)
  console.log(before === undefined ? `${id}: there was no golden graph.` : reportOf(id, before, after))
  if (!isCheck) writeFileSync(path, after)
}
const leftOver = readdirSync(join(root, folder)).filter((name) => !names.includes(name.replace(/\.txt$/, '')))
if (!isCheck) for (const name of leftOver) rmSync(join(root, folder, name))

if (stale.length === 0 && leftOver.length === 0) {
  console.log('The golden graphs are current.')
} else if (isCheck) {
  console.error(
    `Not current: ${[...stale, ...leftOver].join(', ')}. If each difference is intended, run "npm run goldens".`,
  )
  process.exitCode = 1
}

function reportOf(id: string, before: string, after: string): string {
  const { added, gone } = compareGoldens(before, after)
  const shown = [...counted('+', added), ...counted('-', gone)]
  const rest = shown.length - mostShown
  return [
    `${id}: ${added.length} edges new, ${gone.length} gone`,
    ...shown.slice(0, mostShown),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ].join('\n')
}

/** Edges that differ in their digests alone are one line. */
function counted(sign: string, edges: readonly string[]): readonly string[] {
  const groups = Map.groupBy(edges, (edge) => edge.replace(/ #\w+$/, '').split('\n')[0] ?? '')
  return [...groups].map(
    ([label, some]) => `  ${sign} ${label}${some.length > 1 ? ` (${some.length} times)` : ''}`,
  )
}
