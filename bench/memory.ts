/**
 * What a run holds of the heap: `npm run bench:memory`, or with another number of runs, `npm run bench:memory -- --runs 1000`.
 * Each kind of run is measured in processes of its own, after forced collections.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './support/statistics.ts'

const kinds = {
  active: 'a run in its second model call',
  suspended: 'a run that waits for an approval, kept in memory',
  ended: 'an ended run, its journal in the store in memory',
  handle: 'an ended run whose handle is held too',
  result: 'an ended run whose result is held too',
  deleted: 'an ended run that the store in memory has deleted (endedRuns: 1)',
  retained: 'an ended run that a retention has deleted',
} as const

export type Kind = keyof typeof kinds

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    /** How many processes a kind has. */
    rounds: { type: 'string', default: '3' },
  },
})

function bytesOf(kind: Kind): number {
  const child = join(import.meta.dirname, 'memory/held-process.ts')
  const args = ['--conditions=troupe-source', '--expose-gc', child, kind, values.runs]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${kind} ended with ${status}:\n${stderr}`)
  return (JSON.parse(stdout) as { readonly bytes: number }).bytes
}

const rows = (Object.keys(kinds) as Kind[]).map((kind) => {
  const measured = Array.from({ length: Number(values.rounds) }, () => bytesOf(kind))
  const [least, most] = [Math.min(...measured), Math.max(...measured)]
  const bytes = Math.round(median(measured))
  return [
    kinds[kind],
    { 'bytes of heap': bytes, spread: `${Math.round(least)} to ${Math.round(most)}` },
  ] as const
})
console.log(`${values.runs} runs, node ${process.version}`)
console.table(Object.fromEntries(rows))
