/**
 * The fencing soak: two worker processes on one SQLite file. The one that works on a run is stopped with SIGSTOP until
 * its lease has run out and the other has taken the run; then it goes on with SIGCONT, and does not know. Nothing that
 * it does from then on may reach the journal.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTroupe, type JournalEntry, type Troupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { Forked } from '../support/forked.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { audit, settledIn, type Findings } from './audit.ts'
import { createCrew, logFile } from './crew.ts'
import { EffectLog, type Execution } from './effect-log.ts'
import type { WorkerNews, WorkerOptions } from './worker-messages.ts'

export interface FencingReport extends Omit<Findings, 'inFlight' | 'repeatedCalls'> {
  /** Rounds in which the run was taken while its owner stood still. */
  readonly rounds: number
  /** Rounds that do not count: the owner stood still within a transaction, which keeps everybody else from writing. */
  readonly heldTheFile: number
  /** Stale owners that were told `LEASE_LOST`. */
  readonly toldLost: number
  /** Executions by stale owners, begun or ended after another had taken the run: none is in a journal. */
  readonly unrecorded: number
  readonly seconds: number
}

type Worker = Forked<WorkerNews>

const leaseTtl = 300
const steps = 16
const workerFile = join(import.meta.dirname, 'worker.ts')

export async function fencingSoak(rounds: number): Promise<FencingReport> {
  const begun = performance.now()
  using folder = temporaryFolder()
  const options: WorkerOptions = { folder: folder.path, leaseTtl, thinking: 15, working: 15 }
  const store = sqliteStore(folder.file('runs.db'), { busyTimeout: 30_000 })
  const troupe = createTroupe({ agents: [createCrew(options)], store })
  const tokenOf = tokens(folder.file('runs.db'))
  const log = new EffectLog(folder.file(logFile))
  await using first = new Forked<WorkerNews>(workerFile, [JSON.stringify(options)])
  await using second = new Forked<WorkerNews>(workerFile, [JSON.stringify(options)])
  const pair = [first, second] as const
  await Promise.all(pair.map((worker) => worker.hears('open')))

  let counted = 0
  let heldTheFile = 0
  let toldLost = 0
  let unrecorded = 0
  const faults: string[] = []

  const round = async (job: number, stale: Worker, other: Worker): Promise<void> => {
    stale.tell({ type: 'start', job, steps })
    const { runId } = await stale.hears('started', (news) => news.job === job)
    await sleep(Math.random() * 300)
    stale.stop()
    const taken = await isTaken(() => tokenOf(runId) > 1)
    await sleep(Math.random() * 60)
    stale.go()
    const { outcome, code } = await stale.hears('ended', (news) => news.runId === runId)
    await untilSettled(troupe, runId)
    if (!taken) {
      heldTheFile++
      return
    }
    counted++
    if (outcome === 'failed' && code === 'LEASE_LOST') toldLost++
    else faults.push(`The stale owner of ${runId} was told "${outcome}" (${code}), not that it has lost it.`)
    // Taken back: then the one that was stale is an owner again.
    if (tokenOf(runId) > 2) return
    const journal = await troupe.journal(runId)
    const executions = log.read().filter((execution) => execution.runId === runId)
    faults.push(...returnsOf(stale.pid, journal, executions).map((id) => `${id} is of a stale owner.`))
    unrecorded += unrecordedOf(stale.pid, other.pid, journal, executions)
  }

  try {
    for (let job = 0; counted < rounds && faults.length === 0; job++) {
      const [stale, other] = job % 2 === 0 ? pair : pair.toReversed()
      if (stale === undefined || other === undefined) throw new Error('There are two workers.')
      await round(job, stale, other)
    }
    for (const { stderr } of pair) if (stderr !== '') faults.push(stderr)
    const {
      inFlight: _inFlight,
      repeatedCalls: _repeatedCalls,
      ...findings
    } = await audit(troupe, log.read())
    return {
      ...findings,
      faults: [...faults, ...findings.faults],
      rounds: counted,
      heldTheFile,
      toldLost,
      unrecorded,
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    await troupe.close()
    await store.close()
  }
}

/** How often a run was taken, its start included. It is read past whoever is writing. */
function tokens(file: string): (runId: string) => number {
  const database = new DatabaseSync(file, { readOnly: true })
  const select = database.prepare('SELECT token FROM runs WHERE run_id = ?')
  return (runId) => Number(select.get(runId)?.['token'] ?? 0)
}

/** Whether it comes about in several times a lease. */
async function isTaken(hasCome: () => boolean): Promise<boolean> {
  const deadline = performance.now() + 3 * leaseTtl
  while (performance.now() < deadline) {
    if (hasCome()) return true
    await sleep(5)
  }
  return false
}

async function untilSettled(troupe: Troupe, runId: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const [unfinished] = (await troupe.runs({ status: 'unfinished' })).filter((run) => run.runId === runId)
    if (unfinished === undefined) return
    await sleep(10)
  }
  throw new Error(`The run ${runId} has not come to its end.`)
}

/** What stands in the journal of the stale owner's, after something of another. */
function returnsOf(
  stale: number,
  journal: readonly JournalEntry[],
  executions: readonly Execution[],
): string[] {
  const pidOf = new Map(executions.map(({ id, pid }) => [id, pid]))
  const settled = settledIn(journal).map(({ id }) => id)
  const taken = settled.findIndex((id) => pidOf.get(id) !== stale)
  return taken === -1 ? [] : settled.slice(taken).filter((id) => pidOf.get(id) === stale)
}

/** How much of what the stale owner did is in no journal. */
function unrecordedOf(
  stale: number,
  other: number,
  journal: readonly JournalEntry[],
  executions: readonly Execution[],
): number {
  const settled = new Set(settledIn(journal).map(({ id }) => id))
  const wasTaken = executions.some(({ pid }) => pid === other)
  return wasTaken ? executions.filter(({ id, pid }) => pid === stale && !settled.has(id)).length : 0
}
