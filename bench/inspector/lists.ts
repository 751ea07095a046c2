/**
 * What the server of the inspector takes for a list: over HTTP, from a SQLite file of many runs beside one of few. The
 * file is filled first. Columns are medians, ratios the median of the ratios within each round.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inspector } from 'troupe/inspector'
import { sqliteStore } from 'troupe/sqlite'
import { inspectedStore } from '../../src/inspector/stored/inspected-store.ts'
import { fill, idOf } from '../inbox/fill.ts'
import { median } from '../support/statistics.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    small: { type: 'string', default: '1000' },
    large: { type: 'string', default: '100000' },
  },
})
const rounds = Number(values.rounds)
const warmUps = 2
const repeats = 10
const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'))

/** Resolves with a function that asks the server of a store of this many runs. */
async function open(runs: number) {
  const store = sqliteStore(join(folder, `${runs}.db`), { synchronous: 'normal' })
  await fill(store, runs)
  const service = inspectedStore({ store, agents: [], title: '' })
  const view = inspector(service)
  const { origin, hash } = new URL(await view.url)
  const headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('t')}` }
  let lease = await store.claim(idOf(runs - 1), 'bench', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  return {
    async ask(path: string): Promise<void> {
      const response = await fetch(`${origin}/api/${path}`, { headers })
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      await response.json()
    },
    /** The newest run goes on by an entry. */
    async change(): Promise<void> {
      lease ??= await store.claim(idOf(runs - 1), 'bench', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
      if (lease === undefined) throw new Error('The newest run is owned.')
      const entry = { type: 'timer.fired', at: 2e12, key: 'wait', digest: '', dueAt: 0 } as const
      await store.append([{ runId: idOf(runs - 1), entry, lease }])
    },
    async close(): Promise<void> {
      await view.stop()
      await service.close()
    },
  }
}
type Opened = Awaited<ReturnType<typeof open>>

const page = 'runs?limit=100'
const readings: Readonly<Record<string, (of: Opened) => Promise<void>>> = {
  'the first page': ({ ask }) => ask(page),
  'the filter `status:unfinished`': ({ ask }) => ask(`${page}&status=unfinished`),
  'the filter `agent:cashier`': ({ ask }) => ask(`${page}&agent=cashier`),
  'an agent that has no runs': ({ ask }) => ask(`${page}&agent=c`),
  async 'a change, and the first page again'({ change, ask }) {
    await change()
    await ask(page)
  },
  'the questions': ({ ask }) => ask('awaiting?limit=100'),
}

const sizes = { small: await open(Number(values.small)), large: await open(Number(values.large)) }

async function timeOf(of: Opened, read: (of: Opened) => Promise<void>): Promise<number> {
  const began = performance.now()
  for (let repeat = 0; repeat < repeats; repeat++) await read(of)
  return (performance.now() - began) / repeats
}

console.log(`| what is asked for | ${values.small} runs, ms | ${values.large} runs, ms | ratio |`)
console.log('| --- | --: | --: | --: |')
for (const [name, read] of Object.entries(readings)) {
  const samples: Record<'small' | 'large', number[]> = { small: [], large: [] }
  for (let round = -warmUps; round < rounds; round++) {
    for (const size of round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
      const time = await timeOf(sizes[size], read)
      if (round >= 0) samples[size].push(time)
    }
  }
  const ratio = median(samples.large.map((time, round) => time / (samples.small[round] ?? Number.NaN)))
  const [small, large] = [median(samples.small), median(samples.large)].map((time) => time.toFixed(2))
  console.log(`| ${name} | ${small} | ${large} | ${ratio.toFixed(2)} |`)
}
for (const one of Object.values(sizes)) await one.close()
rmSync(folder, { recursive: true })
