/** Behaviours 28, 40, 42 and 43 with real processes on one file: killed, answered, cancelled, and side by side. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createTroupe, SignalError, type JournalEntry } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linesOf } from '../support/lines.ts'
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { createShop, type Deed } from './shop.ts'
import type { ShopProcess } from './shop-process.ts'

/** A process that is only slow keeps its runs. */
const leaseTtl = 60_000
/** Milliseconds after which the runs of a process that was killed may be taken. */
const soon = 250

let folder: TemporaryFolder
let children: ChildProcess[]

beforeEach(() => {
  folder = temporaryFolder()
  children = []
})

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
  }
  folder[Symbol.dispose]()
})

const file = (): string => folder.file('runs.db')
const deedsFile = (): string => folder.file('deeds')

interface Shop {
  /** Settles when a line begins so. */
  line(start: string): Promise<string>
  readonly closed: Promise<{ code: number | null; lines: readonly string[]; stderr: string }>
  kill(): Promise<void>
}

function shopProcess(options: Partial<ShopProcess> = {}): Shop {
  const argument: ShopProcess = { file: file(), deeds: deedsFile(), verb: 'start', leaseTtl, ...options }
  const program = join(import.meta.dirname, 'shop-process.ts')
  const child = spawn(process.execPath, [program, JSON.stringify(argument)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let stdout = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const look of watchers) look()
  })
  const lines = (): string[] => stdout.split('\n').slice(0, -1)
  const closed = once(child, 'close').then(() => ({ code: child.exitCode, lines: lines(), stderr }))
  return {
    closed,
    line: (start) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines().find((line) => line.startsWith(start))
          if (found === undefined) return
          watchers.delete(look)
          resolve(found)
        }
        watchers.add(look)
        look()
        void closed.then(() => reject(new Error(`It ended without "${start}": ${stdout}${stderr}`)))
      }),
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

function deeds(): Deed[] {
  return linesOf(deedsFile()).map((line) => JSON.parse(line) as Deed)
}

/** What was done outside, against what is on record: nothing that was settled was done again. */
function expectAccounts(journals: readonly (readonly JournalEntry[])[]): void {
  const expected = new Map<string, { settled: number; interrupted: number }>()
  for (const journal of journals) {
    const runId = journal[0]?.type === 'run.started' ? journal[0].runId : ''
    for (const entry of journal) {
      if (entry.type !== 'effect.settled' || (entry.kind !== 'model' && entry.kind !== 'tool')) continue
      const slash = entry.key.lastIndexOf('/')
      const key = `${runId}/${entry.kind === 'tool' ? entry.key.slice(0, slash) : entry.key}`
      const account = expected.get(key) ?? { settled: 0, interrupted: 0 }
      const value = entry.settlement.value as { type?: string } | undefined
      if (value?.type === 'interrupted') account.interrupted++
      else account.settled++
      expected.set(key, account)
    }
  }
  const done = Map.groupBy(
    deeds().filter(({ kind }) => kind !== 'aborted'),
    ({ key }) => key,
  )
  expect([...done.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
  for (const [key, times] of done) {
    const processes = times.map((deed) => deed.process)
    // At most once in a process, and once more only where a process ended while it was at work.
    expect(new Set(processes).size).toBe(processes.length)
    const { settled = 0, interrupted = 0 } = expected.get(key) ?? {}
    expect(settled).toBe(1)
    if (times[0]?.kind === 'charge') expect(times.length).toBeLessThanOrEqual(settled + interrupted)
  }
}

test('a run whose processes are killed one after the other ends as if nothing had been', async () => {
  const first = shopProcess({ pace: 15, leaseTtl: soon, stopsAt: 2 })
  await first.line('event 2 ')
  await first.kill()
  let kills = 1
  for (const seq of [8, 16, 26]) {
    const next = shopProcess({ verb: 'recover', pace: 15, leaseTtl: soon, stopsAt: seq })
    await next.line(`event ${seq} `)
    await next.kill()
    kills++
  }
  const last = shopProcess({ verb: 'recover' })
  const { code, lines, stderr } = await last.closed
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(lines.at(-1)).toMatch(/^ended \S+ completed$/)
  const seqs = lines.flatMap((line) => (line.startsWith('event ') ? [Number(line.split(' ')[1])] : []))
  const told = new Set(seqs)
  expect(seqs).toHaveLength(told.size)

  const store = sqliteStore(file())
  const [run] = (await store.list('runs', {})).items
  const journal = (await store.read(run?.runId ?? '')) ?? []
  expectAccounts([journal])
  expect(new Set(deeds().map((deed) => deed.process)).size).toBeGreaterThan(2)
  const shop = createShop({ deeds: deedsFile() })
  const replay = await createTroupe({ agents: [shop], store }).replay(run?.runId ?? '')
  expect(replay.result).toMatchObject({
    outcome: 'completed',
    text: 'shop is done.',
    delegations: Array.from({ length: 4 }, () => ({ outcome: 'succeeded', text: 'clerk is done.' })),
    usage: { totalTokens: 2 * (3 + 4 * 2) },
  })
  expect(kills).toBe(4)
  await store.close()
})

test('many runs, killed with their process: two others share them, and none is run by both', async () => {
  const store = sqliteStore(file())
  const shop = createShop({ deeds: deedsFile(), hangs: true })
  const begun = createTroupe({ agents: [shop], store })
  const ids = await Promise.all(Array.from({ length: 6 }, async () => (await begun.start(shop, 'Sell')).id))
  await expect.poll(() => deeds().filter(({ kind }) => kind === 'charge').length).toBe(6 * 2 * 2)
  await begun.close()

  const others = [shopProcess({ verb: 'recover' }), shopProcess({ verb: 'recover' })]
  const ended = await Promise.all(others.map(({ closed }) => closed))
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    others.map(() => ({ code: 0, stderr: '' })),
  )
  const told = ended.flatMap(({ lines }) => lines.filter((line) => line.startsWith('ended ')))
  expect(told.toSorted()).toEqual(ids.map((id) => `ended ${id} completed`).toSorted())
  expectAccounts(await Promise.all(ids.map(async (id) => (await store.read(id)) ?? [])))
  await store.close()
})

const approval = 'shop/delegation:1.1/clerk/call:1.1'

test('an answer from another process reaches the one that has the run', async () => {
  // A run that leaves memory while it waits goes on where it is answered.
  const owner = shopProcess({ requireApproval: true, staysInMemory: true })
  await owner.line('event')
  const store = sqliteStore(file())
  const troupe = createTroupe({ agents: [createShop({ deeds: deedsFile(), requireApproval: true })], store })
  const [run] = (await troupe.runs()).items
  const runId = run?.runId ?? ''
  for (;;) {
    const { result, actors } = await troupe.replay(runId)
    if (result !== undefined) break
    const open =
      JSON.stringify(actors).match(/shop\/delegation:\d\.\d\/clerk\/call:\d\.\d(?=\/signal)/g) ?? []
    for (const toolCallId of new Set(open)) {
      await troupe.signal(runId, { type: 'approve', toolCallId }).catch((error: unknown) => {
        // It was answered in the round before.
        if (!(error instanceof SignalError)) throw error
      })
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { code, lines, stderr } = await owner.closed
  expect({ code, end: lines.at(-1) }).toEqual({ code: 0, end: `ended ${runId} completed` })
  expect(
    stderr.split('\n').filter((line) => line.startsWith('troupe:') && !line.includes('came too late')),
  ).toEqual([])
  expect(deeds().filter(({ kind }) => kind === 'charge')).toHaveLength(8)
  expectAccounts([(await store.read(runId)) ?? []])
  expect(new Set(deeds().map((deed) => deed.process)).has(process.pid)).toBe(false)
  await troupe.close()
  await store.close()
})

test('a run whose process was killed while it waited goes on where it is answered', async () => {
  const owner = shopProcess({ requireApproval: true, leaseTtl: soon })
  await owner.line('event')
  const store = sqliteStore(file())
  const shop = createShop({ deeds: deedsFile(), requireApproval: true })
  const troupe = createTroupe({ agents: [shop], store })
  const runId = (await troupe.runs()).items[0]?.runId ?? ''
  await expect.poll(async () => (await troupe.replay(runId)).events.at(-1)?.type).toBe('suspended')
  await owner.kill()
  await expect.poll(async () => (await troupe.recover()).runs.map((run) => run.id)).toEqual([runId])
  const run = await troupe.resume(runId)
  const idle = await run.whenIdle
  expect(idle).toMatchObject({ outcome: 'suspended' })
  expect(idle.outcome === 'suspended' && idle.awaiting.map(({ toolCallId }) => toolCallId)).toContain(
    approval,
  )
  await troupe.signal(runId, { type: 'approve', toolCallId: approval })
  await expect
    .poll(() => deeds().filter(({ kind }) => kind === 'charge'))
    .toMatchObject([{ key: `${runId}/${approval}`, process: process.pid }])
  await troupe.cancel(runId, 'enough')
  expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  await troupe.close()
  await store.close()
})

test('a cancel from another process aborts what is under way there', async () => {
  const owner = shopProcess({ hangs: true })
  await expect.poll(() => deeds().filter(({ kind }) => kind === 'charge').length).toBe(4)
  const store = sqliteStore(file())
  const troupe = createTroupe({ agents: [createShop({ deeds: deedsFile() })], store })
  const runId = (await troupe.runs()).items[0]?.runId ?? ''
  await troupe.cancel(runId, 'enough')
  const { code, lines } = await owner.closed
  expect({ code, end: lines.at(-1) }).toEqual({ code: 0, end: `ended ${runId} cancelled` })
  expect(deeds().filter(({ kind }) => kind === 'aborted')).toHaveLength(4)
  expect((await store.list('runs', {})).items).toMatchObject([{ status: 'settled', outcome: 'cancelled' }])
  await store.close()
})
