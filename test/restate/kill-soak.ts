/** Long runs over workers and a server that are killed without a warning: nothing is lost, and nothing goes wrong. */
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { createTroupe, memoryStore, type FinalResult } from 'troupe'
import { restateTroupe } from 'troupe/restate'
import { linesOf } from '../support/lines.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { marathon } from './marathon.ts'
import { freePorts, RestateServer } from '../../scripts/restate/server.ts'
import { WorkerHandle } from '../../scripts/restate/worker-handle.ts'

export interface KillSoakOptions {
  readonly runs: number
  readonly steps: number
  /** Milliseconds that a model or a tool takes. */
  readonly pace: number
  readonly workerKills: number
  readonly serverKills: number
  readonly onKill?: (what: 'worker' | 'server', settled: number) => void
}

export interface KillSoakReport {
  /** Runs that did not come to an end, or to another one than they must. */
  readonly wrong: readonly string[]
  /** Effects that each run must have, and that all of them had. */
  readonly effects: { readonly expected: number; readonly begun: number }
  /** Effects that were under way when a worker was killed, and so began again: by their keys. */
  readonly repeats: number
  /** Effects that began under keys that no run has. */
  readonly strangers: readonly string[]
  readonly kills: { readonly worker: number; readonly server: number }
}

export async function killSoak(options: KillSoakOptions): Promise<KillSoakReport> {
  const { runs, steps, pace, workerKills, serverKills, onKill } = options
  const expected = await runHere(steps)
  using folder = temporaryFolder()
  const log = folder.file('effects')
  writeFileSync(log, '')
  await using server = await RestateServer.start()
  const [port = 0] = await freePorts(1)
  await using worker = new WorkerHandle(join(import.meta.dirname, 'marathon-process.ts'), {
    port,
    steps,
    pace,
    log,
  })
  await worker.start()
  await server.register(port)
  const agent = marathon({ steps, pace })
  const troupe = restateTroupe({ ingress: server.ingress, agents: [agent] })
  const started = await Promise.all(Array.from({ length: runs }, () => troupe.start(agent, 'Run.')))
  const results = started.map((run) => run.result)

  const begun = (): number => linesOf(log).length
  const total = runs * expected.keys.length
  const kills = { worker: 0, server: 0 }
  const planned = workerKills + serverKills
  for (let kill = 1; kill <= planned; kill++) {
    // By progress and not by time: so that each kill meets work that is under way.
    const isDue = (): boolean => begun() >= (total * kill) / (planned + 1)
    while (!isDue()) await new Promise((resolve) => setTimeout(resolve, 5))
    const isServer = Math.floor((kill * serverKills) / planned) > kills.server
    if (isServer) {
      await server.kill()
      await server.run()
      kills.server++
    } else {
      await worker.kill()
      await worker.start()
      kills.worker++
    }
    onKill?.(isServer ? 'server' : 'worker', begun())
  }

  const wrong = (await Promise.all(results)).flatMap((result, index) =>
    same(result, expected.result) ? [] : [`run ${index}: ${result.outcome} ${result.text}`],
  )
  const counts = new Map<string, number>()
  for (const key of linesOf(log)) counts.set(key, (counts.get(key) ?? 0) + 1)
  const known = new Set(started.flatMap(({ id }) => expected.keys.map((key) => `${id}/${key}`)))
  return {
    wrong,
    effects: { expected: total, begun: counts.size },
    repeats: linesOf(log).length - counts.size,
    strangers: [...counts.keys()].filter((key) => !known.has(key)),
    kills,
  }
}

async function runHere(steps: number): Promise<{ result: FinalResult; keys: readonly string[] }> {
  const keys: string[] = []
  const onEffect = (key: string): void => void keys.push(key.slice(key.indexOf('/') + 1))
  const agent = marathon({ steps, pace: 0, onEffect })
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const result = await (await troupe.start(agent, 'Run.')).result
  await troupe.close()
  return { result, keys }
}

function same(a: FinalResult, b: FinalResult): boolean {
  return a.outcome === b.outcome && a.text === b.text && a.steps.length === b.steps.length
}
