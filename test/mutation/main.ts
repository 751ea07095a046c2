/**
 * `npm run mutate -- --seed S --machines M --runtime R [--part K/N] [--steps goldens,written,generated,processes] [--out FILE]`:
 * puts a sample of small faults into the sources, one at a time, and runs the tests that should notice them. The
 * results are appended to FILE, a JSON object a line. A mutant that FILE holds is asked about the steps that did not see it yet.
 * `npm run mutate -- --report FILE`: the scores of all results in FILE.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../simulation/random.ts'
import { linesOf } from '../support/lines.ts'
import { equivalents } from './equivalents.ts'
import { judge, Limits, steps, type Judged } from './judge.ts'
import type { Mutant } from './mutant.ts'
import { mutantsIn, sample } from './sample.ts'
import { Sandbox } from './sandbox.ts'
import { reportOf } from './score.ts'
import { areas, type Area } from './suites.ts'

const root = join(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    machines: { type: 'string', default: '150' },
    runtime: { type: 'string', default: '60' },
    part: { type: 'string', default: '1/1' },
    steps: { type: 'string', default: 'goldens,written,generated,processes' },
    out: { type: 'string', default: 'mutants.jsonl' },
    report: { type: 'string' },
  },
})

if (values.report === undefined) await run()
else console.log(reportOf(judgedIn(values.report)))

async function run(): Promise<void> {
  const asked = values.steps.split(',').map((name) => {
    const step = steps.find((one) => one === name)
    if (step === undefined) throw new Error(`--steps: "${name}" is none of ${steps.join(', ')}.`)
    return step
  })
  const known = new Map(judgedIn(values.out).map((judged) => [judged.id, judged]))
  using sandbox = new Sandbox(root)
  const limits = new Limits()
  for (const [area, mutants] of partOf(sampled())) {
    for (const mutant of mutants) {
      if (equivalents.has(mutant.id)) continue
      const before = known.get(mutant.id)
      if (before?.killedBy !== undefined) continue
      if (before !== undefined && asked.every((step) => before.asked.includes(step))) continue
      const judged = await judge({ sandbox, area, steps: asked, limits }, mutant, before?.asked ?? [])
      appendFileSync(values.out, `${JSON.stringify(judged)}\n`)
      console.log(`${judged.killedBy ?? 'SURVIVED'}: ${judged.id} (line ${judged.line})`)
    }
  }
  console.log(reportOf(judgedIn(values.out)))
}

/** Each kind of area has its number of mutants, shared by the areas as their mutants are. */
function sampled(): [Area, Mutant[]][] {
  const counts = { machine: integer('machines'), runtime: integer('runtime') }
  const random = new Random(`mutants ${integer('seed')}`)
  const all = areas.map((area) => ({ area, mutants: mutantsIn(root, area) }))
  return all.map(({ area, mutants }) => {
    const peers = all.filter((one) => one.area.kind === area.kind)
    const total = peers.reduce((sum, one) => sum + one.mutants.length, 0)
    const count = Math.ceil((counts[area.kind] * mutants.length) / total)
    return [area, sample(mutants, count, random.stream(area.name))]
  })
}

/** Every n-th mutant of each area, so that all parts take about as long. */
function partOf(areasWithMutants: [Area, Mutant[]][]): [Area, Mutant[]][] {
  const match = /^(\d+)\/(\d+)$/.exec(values.part)
  const [part, parts] = [Number(match?.[1]), Number(match?.[2])]
  if (!(part >= 1 && part <= parts)) throw new Error(`--part must be K/N, not ${values.part}.`)
  return areasWithMutants.map(([area, mutants]) => [
    area,
    mutants.filter((_, position) => position % parts === part - 1),
  ])
}

/** The last word on each mutant that is no equivalent. */
function judgedIn(file: string): Judged[] {
  const all = linesOf(file).map((line) => JSON.parse(line) as Judged)
  const last = new Map(all.map((judged) => [judged.id, judged]))
  return [...last.values()].filter(({ id }) => !equivalents.has(id))
}

function integer(name: 'seed' | 'machines' | 'runtime'): number {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} must be a whole number, not ${values[name]}.`)
}
