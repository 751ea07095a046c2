/**
 * What a model call of 200 ms takes longer in a run of Troupe than in a loop around the client, while 20 runs go on at once:
 * begun together, so that all replies come in one moment, and begun one after the other within the time of a reply. The
 * contestants take turns within a round.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { httpField } from './field.ts'
import type { Scenario } from './scenario.ts'
import { adding } from '../jobs/job.ts'
import { playRound } from '../support/measure.ts'
import { startModelServer } from '../support/model-server-process.ts'
import { median } from '../support/statistics.ts'

/** Milliseconds of a reply, runs at once, and model calls of each. `warmUps`: rounds of a model that answers at once. */
export const latencies = { model: 200, runs: 20, calls: 5, rounds: 15, warmUps: 60 } as const

export interface Latency {
  readonly name: string
  /** Milliseconds of a model call, from the start of a run to its end: the median of the rounds. */
  readonly call: number
  /** Milliseconds more than in a loop over the same HTTP: the median of the differences within the rounds. */
  readonly added: number
}

/** `together`: whether the runs begin at once. */
export async function addedLatency(rounds: number, together: boolean): Promise<Latency[]> {
  const { model, runs, calls } = latencies
  const scenario: Scenario = {
    id: 'a',
    title: 'runs of a slow model',
    job: adding(calls),
    runs,
    concurrent: true,
    rounds: { inProcess: 0, http: rounds },
  }
  await warmUp(scenario)
  const server = await startModelServer(model)
  const [loop, , troupe, loopOnNode, troupeOnNode] = httpField(scenario, server).map(({ contestant }) => ({
    ...contestant,
    times: [] as number[],
  }))
  if (!loop || !troupe || !loopOnNode || !troupeOnNode)
    throw new Error('A field over HTTP has five contestants.')
  for (let round = -2; round < rounds; round++) {
    for (const { prepare, times } of [loop, troupe, loopOnNode, troupeOnNode]) {
      const run = prepare()
      const walls = await Promise.all(
        Array.from({ length: runs }, async (_, index) => {
          if (!together) await sleep((index * model) / runs)
          return timed(run)
        }),
      )
      if (round >= 0) times.push(walls.reduce((sum, wall) => sum + wall, 0) / runs / calls)
    }
  }
  await server.stop()
  const row = ({ name, times }: typeof loop, base: readonly number[]): Latency => ({
    name,
    call: median(times),
    added: median(times.map((time, round) => time - (base[round] ?? Number.NaN))),
  })
  return [
    row(loop, loop.times),
    row(loopOnNode, loopOnNode.times),
    row(troupeOnNode, loopOnNode.times),
    row(troupe, loop.times),
  ]
}

/** A process that serves has optimised its code. */
async function warmUp(scenario: Scenario): Promise<void> {
  const server = await startModelServer()
  const field = httpField(scenario, server)
  for (let round = 0; round < latencies.warmUps; round++) for (const entry of field) await playRound(entry)
  await server.stop()
}

async function timed(run: () => Promise<string>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}
