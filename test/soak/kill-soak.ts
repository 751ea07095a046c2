/**
 * The kill soak: worker processes share one store with many runs, and are killed with SIGKILL at random moments until so
 * many have died. A server of the store is restarted meanwhile. Then the runs are finished, and everything is held against the effect log.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTroupe } from 'troupe'
import { Forked } from '../support/processes/forked.ts'
import { linesOf } from '../support/lines.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { audit, type Findings } from './audit.ts'
import { createCrew, logFile, toldFile } from './crew.ts'
import { EffectLog } from './effect-log.ts'
import { openStore } from './soak-store.ts'
import type { WorkerNews, WorkerOptions } from './worker-messages.ts'

export interface KillSoakOptions {
  readonly runs: number
  readonly steps: number
  readonly kills: number
  /** Milliseconds that a worker lives at most, once it has opened the store, while entries come. */
  readonly life: number
  /** Milliseconds that a reply takes at most. */
  readonly thinking: number
  /** The server of the store, and how often it is restarted. Default: the store is a SQLite file. */
  readonly server?: SoakServer
  /** The content of the store is sealed. Default: `false`. */
  readonly isSealed?: boolean
}

/** A server that the soak stops and starts. */
export interface SoakServer {
  readonly connectionString: string
  readonly restarts: number
  restart(): Promise<void>
}

export interface KillReport extends Findings {
  readonly kills: number
  readonly restarts: number
  /** How many runs were under way when a worker was killed, at the least and at the most. */
  readonly unfinishedAtKills: readonly [number, number]
  readonly seconds: number
}

const workers = 2
/** Milliseconds without a journal entry, after which the runs count as stuck. */
const patience = 60_000
const workerFile = join(import.meta.dirname, 'worker.ts')

export async function killSoak({
  runs,
  steps,
  kills,
  life,
  thinking,
  server,
  isSealed = false,
}: KillSoakOptions): Promise<KillReport> {
  const begun = performance.now()
  using folder = temporaryFolder()
  const address = {
    ...(server === undefined
      ? { file: folder.file('runs.db') }
      : { connectionString: server.connectionString }),
    isSealed,
  }
  const options: WorkerOptions = { store: address, folder: folder.path, leaseTtl: 300, thinking, working: 10 }
  const store = openStore(address)
  const troupe = createTroupe({ agents: [createCrew(options)], store })
  const unfinished = async (): Promise<number> =>
    (await store.list('runs', { status: 'unfinished' })).items.length

  let condemned = 0
  let killed = 0
  let restarts = 0
  let isDone = false
  /** Where all runs are finished before their time, as many again are begun. */
  let wanted = runs
  const underWay: number[] = []
  const complaints: string[] = []
  let news = { entries: 0, at: performance.now() }
  /** The longest life of a worker: twice as long after one in whose life nothing happened, so that a slow machine gets on. */
  let longest = life

  /** One worker after the other. The first seat starts the runs. */
  const seat = async (number: number): Promise<void> => {
    while (!isDone) {
      await using worker = new Forked<WorkerNews>(workerFile, [JSON.stringify(options)])
      await worker.hears('open')
      const { entries: before } = news
      if (number === 0) worker.tell({ type: 'fill', runs: wanted, steps })
      const mustDie = condemned < kills
      if (mustDie) condemned++
      const dies = mustDie ? performance.now() + Math.random() * longest : Number.POSITIVE_INFINITY
      while (!isDone && performance.now() < dies) {
        await sleep(Math.min(20, Math.max(0, dies - performance.now())))
        if (worker.stderr === '' && !worker.hasEnded) continue
        complaints.push(worker.stderr || 'A worker has ended by itself.')
        isDone = true
      }
      if (isDone) {
        await worker.leave()
        return
      }
      underWay.push(await unfinished())
      await worker.kill()
      killed++
      longest = news.entries > before ? life : Math.min(2 * longest, patience / 4)
    }
  }

  /** Restarts the server between the kills, the last time before the last kill. */
  const disturb = async ({ restarts: wantedRestarts, restart }: SoakServer): Promise<void> => {
    while (restarts < wantedRestarts) {
      await sleep(20)
      if (isDone) return
      if (killed < (restarts + 1) * (kills / (wantedRestarts + 1))) continue
      await restart()
      restarts++
    }
  }

  const watch = async (): Promise<void> => {
    while (!isDone) {
      await sleep(100)
      const summaries = (await store.list('runs', {})).items
      const entries = summaries.reduce((sum, run) => sum + run.entries, 0)
      if (entries > news.entries) news = { entries, at: performance.now() }
      if (performance.now() - news.at > patience) {
        const left = summaries.filter(({ status }) => status !== 'settled')
        complaints.push(
          `Nothing has happened for ${patience / 1000} seconds: ${left.map(({ runId, status }) => `${runId} is ${status}`).join(', ')}.`,
        )
        isDone = true
      }
      if (summaries.length < wanted || summaries.some(({ status }) => status !== 'settled')) continue
      if (killed >= kills && restarts >= (server?.restarts ?? 0)) isDone = true
      else wanted += runs
    }
  }

  try {
    await Promise.all([
      watch(),
      ...(server === undefined ? [] : [disturb(server)]),
      ...Array.from({ length: workers }, (_, number) => seat(number)),
    ])
    const executions = new EffectLog(folder.file(logFile)).read()
    const findings = await audit(troupe, executions, linesOf(folder.file(toldFile)))
    return {
      ...findings,
      faults: [...findings.faults, ...complaints],
      kills: killed,
      restarts,
      unfinishedAtKills: [Math.min(...underWay), Math.max(...underWay)],
      seconds: Math.round((performance.now() - begun) / 1000),
    }
  } finally {
    isDone = true
    await troupe.close()
    await store.close()
  }
}
