/**
 * Writes the golden graph of every machine into test/machines/goldens/. With `--check` it writes nothing, fails where a golden
 * graph is not current, and says what is new and what is gone. Names of machines after that: of these alone.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allSuites } from '../test/machines/suites/all.ts'
import { goldenReport } from './golden-report.ts'
import { allMachines } from './machines.ts'

const folder = 'test/machines/goldens'
const root = join(import.meta.dirname, '..')

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
  console.log(before === undefined ? `${id}: there was no golden graph.` : goldenReport(id, before, after))
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
