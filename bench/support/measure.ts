/**
 * Compares contestants by wall-clock time and by CPU: of all threads of the process, the garbage collector's included.
 * Rounds alternate (A B C A B C …), so that what else goes on in the machine hits all alike.
 */
import { modelCallsOf } from '../jobs/job.ts'
import { answer } from '../jobs/script.ts'
import type { Entry } from '../scenarios/scenario.ts'

export interface Sample {
  /** Milliseconds of one round. */
  readonly wall: number
  readonly cpu: number
}

export interface Measurement {
  readonly name: string
  readonly modelCallsPerRound: number
  readonly runsPerRound: number
  /** One a round, in the order of the rounds: the same index is the same minute for all of a field. */
  readonly samples: readonly Sample[]
}

export interface Rounds {
  /** Rounds that do not count, and rounds that do. */
  readonly warmUps: number
  readonly rounds: number
  /** No collection is forced before a round, as none is in a process that serves. Default: one is. */
  readonly isServing?: boolean
}

export async function compare(
  field: readonly Entry[],
  { warmUps, rounds, isServing = false }: Rounds,
): Promise<Measurement[]> {
  const measurements = field.map(({ scenario, contestant }) => ({
    name: contestant.name,
    modelCallsPerRound: scenario.runs * (scenario.units ?? modelCallsOf(scenario.job)),
    runsPerRound: scenario.runs,
    samples: [] as Sample[],
  }))
  for (let round = -warmUps; round < rounds; round++) {
    for (const [index, entry] of field.entries()) {
      const sample = await sampleOf(entry, isServing)
      if (round >= 0) measurements[index]?.samples.push(sample)
    }
  }
  return measurements
}

/**
 * The contestants share this process, so each begins without the garbage of another. A collection also drops optimised code
 * whose objects are all gone: a round that does not count brings it back.
 */
async function sampleOf(entry: Entry, isServing: boolean): Promise<Sample> {
  if (!isServing) {
    globalThis.gc?.()
    await playRound(entry)
  }
  const cpuBefore = process.cpuUsage()
  const wallBefore = performance.now()
  await playRound(entry)
  const wall = performance.now() - wallBefore
  const { user, system } = process.cpuUsage(cpuBefore)
  return { wall, cpu: (user + system) / 1000 }
}

export async function playRound({ scenario, contestant }: Entry): Promise<void> {
  const run = contestant.prepare()
  const answers = scenario.concurrent
    ? await Promise.all(Array.from({ length: scenario.runs }, run))
    : await oneByOne(scenario.runs, run)
  const wrong = answers.find((text) => text !== answer)
  if (wrong !== undefined) throw new Error(`${contestant.name} answered ${JSON.stringify(wrong)}`)
}

async function oneByOne(runs: number, run: () => Promise<string>): Promise<string[]> {
  const answers: string[] = []
  for (let count = 0; count < runs; count++) answers.push(await run())
  return answers
}
