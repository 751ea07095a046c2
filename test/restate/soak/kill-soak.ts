/**
 * Long runs over workers behind a balancer and a server, all of which are killed without a warning: the others go on,
 * nothing is lost, and nothing goes wrong. A client starts runs, waits for them and reads along meanwhile.
 */
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { createTroupe, memoryStore, type FinalResult, type RunEvent } from 'troupe'
import { restateTroupe, type RestateRun } from 'troupe/restate'
import { allOf } from '../../support/all-of.ts'
import { linesOf } from '../../support/lines.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { marathon } from './marathon.ts'
import { balance } from '../../../scripts/restate/balancer.ts'
import { freePorts, RestateServer } from '../../../scripts/restate/server.ts'
import { WorkerHandle } from '../../../scripts/restate/worker-handle.ts'

export interface KillSoakOptions {
  /** Started at once. Another one is started with each kill of the server, while there is none. */
  readonly runs: number
  readonly steps: number
  /** Milliseconds that a model or a tool takes. */
  readonly pace: number
  readonly workers: number
  /** One after the other: each stays away until the others have done something. */
  readonly workerKills: number
  readonly serverKills: number
  readonly onKill?: (what: 'worker' | 'server', settled: number) => void
}

export interface KillSoakReport {
  /** Runs that did not come to an end, or to another one than they must. */
  readonly wrong: readonly string[]
  /** Runs whose `start` resolved, and which are not there. */
  readonly lost: readonly string[]
  /** Runs whose events did not come to those who read along: all of them, and each once. */
  readonly misread: readonly string[]
  /** Effects that each run must have, and that all of them had. */
  readonly effects: { readonly expected: number; readonly begun: number }
  /** Effects that were under way when a worker was killed, and so began again: by their keys. */
  readonly repeats: number
  /** Effects that began under keys that no run has. */
  readonly strangers: readonly string[]
  readonly kills: { readonly worker: number; readonly server: number }
  /** How many effects began while a worker was away. */
  readonly wentOn: number
}

interface Watched {
  readonly id: string
  readonly result: Promise<FinalResult>
  readonly events: Promise<readonly RunEvent[] | string>
}

export async function killSoak(options: KillSoakOptions): Promise<KillSoakReport> {
  const { runs, steps, pace, workerKills, serverKills, onKill } = options
  const expected = await runHere(steps)
  using folder = temporaryFolder()
  const log = folder.file('effects')
  writeFileSync(log, '')
  await using server = await RestateServer.start()
  await using stack = new AsyncDisposableStack()
  const ports = await freePorts(options.workers)
  const program = join(import.meta.dirname, 'marathon-process.ts')
  const workers = ports.map((port) => stack.use(new WorkerHandle(program, { port, steps, pace, log })))
  await Promise.all(workers.map((worker) => worker.start()))
  const balancer = stack.use(await balance(ports))
  await server.register(balancer.port)
  const agent = marathon({ steps, pace })
  const troupe = restateTroupe({ ingress: server.ingress, agents: [agent] })
  const start = async (): Promise<Watched> => watch(await troupe.start(agent, 'Run.'))
  const started = await Promise.all(Array.from({ length: runs }, start))

  const begun = (): number => linesOf(log).length
  const reach = async (count: number): Promise<void> => {
    while (begun() < count) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const total = runs * expected.keys.length
  const kills = { worker: 0, server: 0 }
  let wentOn = 0
  const killWorker = async (): Promise<void> => {
    const worker = workers[kills.worker++ % workers.length]
    await worker?.kill()
    const before = begun()
    if (workers.length > 1) await reach(Math.min(before + runs, total))
    wentOn += begun() - before
    await worker?.start()
  }
  const killServer = async (): Promise<void> => {
    kills.server++
    await server.kill()
    const starting = start()
    await server.run()
    started.push(await starting)
  }
  const planned = workerKills + serverKills
  for (let kill = 1; kill <= planned; kill++) {
    // By progress and not by time: so that each kill meets work that is under way.
    await reach((total * kill) / (planned + 1))
    const isServer = Math.floor((kill * serverKills) / planned) > kills.server
    await (isServer ? killServer() : killWorker())
    onKill?.(isServer ? 'server' : 'worker', begun())
  }

  const results = await Promise.allSettled(started.map(({ result }) => result))
  const wrong = results.flatMap((told, index) => {
    if (told.status === 'rejected') return [`run ${index}: ${String(told.reason)}`]
    const { outcome, text } = told.value
    return same(told.value, expected.result) ? [] : [`run ${index}: ${outcome} ${text}`]
  })
  // Asked by the ids that the caller was told, and not by those that the server lists.
  const journals = await Promise.allSettled(started.map(({ id }) => troupe.journal(id)))
  const lost = journals.flatMap((journal, index) =>
    journal.status === 'rejected' ? [`run ${index}: ${String(journal.reason)}`] : [],
  )
  const readings = await Promise.all(started.map(({ events }) => events))
  const misread = readings.flatMap((events, index) => {
    if (typeof events === 'string') return [`run ${index}: ${events}`]
    const isWhole = namesOf(events) === expected.events && events.every(({ seq }, at) => seq === at + 1)
    return isWhole ? [] : [`run ${index}: ${events.length} events`]
  })
  const counts = new Map<string, number>()
  for (const key of linesOf(log)) counts.set(key, (counts.get(key) ?? 0) + 1)
  const known = new Set(started.flatMap(({ id }) => expected.keys.map((key) => `${id}/${key}`)))
  return {
    wrong,
    lost,
    misread,
    effects: { expected: started.length * expected.keys.length, begun: counts.size },
    repeats: linesOf(log).length - counts.size,
    strangers: [...counts.keys()].filter((key) => !known.has(key)),
    kills,
    wentOn,
  }
}

/** Reads along from the beginning; an end before that of the run is told, and not thrown. */
function watch(run: RestateRun): Watched {
  const events = allOf(run.events).catch((error: unknown) => String(error))
  return { id: run.id, result: run.result, events }
}

/** Which events there are, whoever was first. */
function namesOf(events: readonly RunEvent[]): string {
  return events
    .map(({ path, type }) => `${path} ${type}`)
    .toSorted()
    .join()
}

interface Expected {
  readonly result: FinalResult
  readonly keys: readonly string[]
  readonly events: string
}

async function runHere(steps: number): Promise<Expected> {
  const keys: string[] = []
  const onEffect = (key: string): void => void keys.push(key.slice(key.indexOf('/') + 1))
  const agent = marathon({ steps, pace: 0, onEffect })
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const run = await troupe.start(agent, 'Run.')
  const events = namesOf(await allOf(run.events))
  const result = await run.result
  await troupe.close()
  return { result, keys, events }
}

function same(a: FinalResult, b: FinalResult): boolean {
  return a.outcome === b.outcome && a.text === b.text && a.steps.length === b.steps.length
}
