/**
 * Deletions and the event loop, and what `secureDelete` costs: how long 10 000 deletions hold the loop at a time, and the time
 * of appends and deletions with it and without. `node --conditions=troupe-source bench/erasure.ts [runs]`
 */
import { memoryStore, type Store } from 'troupe'
import { sqliteStore, type SqliteStoreOptions } from 'troupe/sqlite'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstLease } from '../src/runtime/journal/store.ts'
import type { JournalEntry } from '../src/runtime/journal/journal.ts'

const runs = Number(process.argv[2] ?? 10_000)
const entriesOfRun = 12

function journalOf(runId: string): readonly JournalEntry[] {
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  return [
    {
      type: 'run.started',
      at: 0,
      protocol: 3,
      runId,
      agent: 'a',
      task: 'x'.repeat(200),
      history: [],
      settings: { hooks: [] },
      stream: false,
      resourceId: 'ann',
    },
    ...Array.from({ length: entriesOfRun }, (_, index) => ({
      type: 'timer.fired' as const,
      at: index,
      key: `${index}`,
      digest: 'd'.repeat(600),
      dueAt: index,
    })),
    { type: 'run.settled', at: 99, outcome: 'completed', text: 'Done.', usage },
  ]
}

/** The longest time, in milliseconds of CPU of this thread, for which the loop did nothing else: a busy machine adds none. */
async function longestHold(
  work: () => Promise<void>,
): Promise<{ readonly hold: number; readonly time: number }> {
  let hold = 0
  const cpu = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = cpu()
  let isOver = false
  const look = (): void => {
    const now = cpu()
    hold = Math.max(hold, now - last)
    last = now
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  const begun = performance.now()
  await work()
  const time = performance.now() - begun
  await new Promise((resolve) => setTimeout(resolve, 5))
  isOver = true
  return { hold, time }
}

function cpuSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-erasure-'))
const sqlite = (name: string, options: SqliteStoreOptions) => (): Store =>
  sqliteStore(join(folder, `${name}.db`), { synchronous: 'normal', ...options })
const subjects: Record<string, () => Store> = {
  memory: () => memoryStore({ endedRuns: Number.POSITIVE_INFINITY }),
  sqlite: sqlite('plain', {}),
  'sqlite, secureDelete': sqlite('secure', { secureDelete: true }),
  'sqlite, worker': sqlite('worker', { worker: true }),
}
for (const [name, open] of Object.entries(subjects)) {
  const store = open()
  const appendBegun = process.cpuUsage()
  for (let index = 0; index < runs; index++) {
    const runId = `r${index}`
    await store.append(journalOf(runId).map((entry) => ({ runId, entry, lease: firstLease(runId) })))
  }
  const appending = cpuSince(appendBegun)
  const deleteBegun = process.cpuUsage()
  const deleting = await longestHold(async () => {
    for (let index = 0; index < runs; index++) await store.delete(`r${index}`)
  })
  const deletingCpu = cpuSince(deleteBegun)
  const compacting = await longestHold(async () => store.compact?.())
  const [ms, held, compact, compactHold] = [appending, deleting.hold, compacting.time, compacting.hold].map(
    (one) => one.toFixed(0),
  )
  console.log(
    `${name}: ${runs} runs, CPU: append ${ms} ms, delete ${deletingCpu.toFixed(0)} ms, longest hold ${held} ms, compact ${compact} ms, hold ${compactHold} ms`,
  )
  await store.close?.()
}
for (const name of ['plain', 'secure'])
  console.log(`${name}.db: ${statSync(join(folder, `${name}.db`)).size} bytes`)
rmSync(folder, { recursive: true })
