/**
 * The fencing soak: two worker processes on one store. The one that works on a run is stopped with SIGSTOP until
 * its lease has run out and the other has taken the run; then it goes on with SIGCONT, and does not know. Nothing that
 * it does from then on may reach the journal.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTroupe, type JournalEntry, type Troupe } from 'troupe'
import { Forked } from '../support/processes/forked.ts'
import { linesOf } from '../support/lines.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { audit, settledIn, type Findings } from './audit.ts'
import { createCrew, logFile, toldFile } from './crew.ts'
import { EffectLog, type Execution } from './effect-log.ts'
import { openStore, tokensIn, type StoreAddress } from './soak-store.ts'
import type { WorkerNews, WorkerOptions } from './worker-messages.ts'

export interface FencingReport extends Omit<Findings, 'inFlight' | 'repeatedCalls'> {
  /** Rounds in which the run was taken while its owner stood still. */
  readonly rounds: number
  /** Rounds that do not count: the owner stood still within a transaction, which keeps everybody else from writing. */
  readonly heldTheFile: number
  /** Stale owners that were told `LEASE_LOST`. */
  readonly toldLost: number
  /** Executions by stale owners that are in no journal: they were in flight when the run was taken. */
  readonly unrecorded: number
  readonly seconds: number
}

type Worker = Forked<WorkerNews>

interface Round {
  /** It was taken while its owner stood still. */
  readonly isCounted: boolean
  /** The stale owner was told that it has lost it. */
  readonly isTold: boolean
  /** Ids of executions by the stale owner in the journal, after others of its new owner. */
  readonly recorded: readonly string[]
  readonly unrecorded: number
}

const leaseTtl = 300
const steps = 16
const workerFile = join(import.meta.dirname, 'worker.ts')

/** `server`: the address of a Postgres server. Default: a SQLite file. */
export async function fencingSoak(rounds: number, server?: StoreAddress): Promise<FencingReport> {
  const begun = performance.now()
  using folder = temporaryFolder()
  const address = server ?? { file: folder.file('runs.db') }
  const options: WorkerOptions = { store: address, folder: folder.path, leaseTtl, thinking: 15, working: 15 }
  const store = openStore(address)
  const troupe = createTroupe({ agents: [createCrew(options)], store })
  await using tokens = await tokensIn(address)
  const log = new EffectLog(folder.file(logFile))
  await using first = new Forked<WorkerNews>(workerFile, [JSON.stringify(options)])
  await using second = new Forked<WorkerNews>(workerFile, [JSON.stringify(options)])
  await Promise.all([first.hears('open'), second.hears('open')])

  const round = async (job: number, stale: Worker, other: Worker): Promise<Round> => {
    stale.tell({ type: 'start', job, steps })
    const { runId } = await stale.hears('started', (news) => news.job === job)
    await sleep(Math.random() * 300)
    stale.stop()
    const isCounted = await isTaken(async () => (await tokens.of(runId)) > 1)
    await sleep(Math.random() * 60)
    stale.go()
    const isOfRun = (news: { readonly runId: string }): boolean => news.runId === runId
    const told = await Promise.race([stale.hears('ended', isOfRun), stale.hears('lost', isOfRun)])
    await untilSettled(troupe, runId)
    const isTold = told.type === 'lost' && told.code === 'LEASE_LOST'
    // Taken back: then the one that was stale is an owner again.
    if (!isCounted || (await tokens.of(runId)) > 2) return { isCounted, isTold, recorded: [], unrecorded: 0 }
    const executions = log.read().filter((execution) => execution.runId === runId)
    return { isCounted, isTold, ...deedsOf(stale.pid, other.pid, await troupe.journal(runId), executions) }
  }

  try {
    const played: Round[] = []
    const counted = (): Round[] => played.filter(({ isCounted }) => isCounted)
    while (counted().length < rounds) {
      const [stale, other] = played.length % 2 === 0 ? [first, second] : [second, first]
      played.push(await round(played.length, stale, other))
    }
    const {
      inFlight: _inFlight,
      repeatedCalls: _repeatedCalls,
      ...findings
    } = await audit(troupe, log.read(), linesOf(folder.file(toldFile)))
    const recorded = played.flatMap((one) => one.recorded)
    return {
      ...findings,
      faults: [
        ...findings.faults,
        ...counted().flatMap(({ isTold }) =>
          isTold ? [] : ['A stale owner was not told that it had lost its run.'],
        ),
        ...recorded.map((id) => `${id} is of a stale owner, and in a journal.`),
        ...[first, second].flatMap(({ stderr }) => (stderr === '' ? [] : [stderr])),
      ],
      rounds: counted().length,
      heldTheFile: played.length - counted().length,
      toldLost: counted().filter(({ isTold }) => isTold).length,
      unrecorded: played.reduce((sum, one) => sum + one.unrecorded, 0),
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    await troupe.close()
    await store.close()
  }
}

/** Whether it comes about in several times a lease. */
async function isTaken(hasCome: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + 3 * leaseTtl
  while (performance.now() < deadline) {
    if (await hasCome()) return true
    await sleep(5)
  }
  return false
}

async function untilSettled(troupe: Troupe, runId: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const [unfinished] = (await troupe.runs({ status: 'unfinished' })).items.filter(
      (run) => run.runId === runId,
    )
    if (unfinished === undefined) return
    await sleep(10)
  }
  throw new Error(`The run ${runId} has not come to its end.`)
}

/** What the stale owner did: what of it stands in the journal after something of another, and what in none. */
function deedsOf(
  stale: number,
  other: number,
  journal: readonly JournalEntry[],
  executions: readonly Execution[],
): Pick<Round, 'recorded' | 'unrecorded'> {
  const pidOf = new Map(executions.map(({ id, pid }) => [id, pid]))
  const settled = settledIn(journal).map(({ id }) => id)
  const taken = settled.findIndex((id) => pidOf.get(id) === other)
  return {
    recorded: taken === -1 ? [] : settled.slice(taken).filter((id) => pidOf.get(id) === stale),
    unrecorded: executions.filter(({ id, pid }) => pid === stale && !settled.includes(id)).length,
  }
}
