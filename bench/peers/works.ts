/** The work that contestants do: the same job for each, in rounds that alternate. */
import { adding, delegating, modelCallsOf, type Job } from '../jobs/job.ts'
import type { Measurement, Sample } from '../support/measure.ts'
import type { Contestant, Entrant } from './contestants.ts'
import type { Work } from './work.ts'

export interface Workload extends Work {
  readonly title: string
  /** Rounds that count. */
  readonly rounds: number
}

export const works = {
  a: { title: 'one agent, 20 model calls', ...workOf(adding(20), 20, false), rounds: 15 },
  b: { title: 'ten delegations, one after the other', ...workOf(delegating(10, 1), 20, false), rounds: 15 },
  c: { title: 'fifty delegations side by side', ...workOf(delegating(50, 50), 8, false), rounds: 15 },
  d: { title: '1 000 concurrent runs of 3 model calls', ...workOf(adding(3), 1000, true), rounds: 7 },
} as const satisfies Readonly<Record<string, Workload>>

/** Model calls that do not count, before the rounds of each work: V8 optimises the code meanwhile. */
const warmUpCalls = 6000

function workOf(job: Job, runs: number, concurrent: boolean): Work {
  return { job, runs, concurrent, modelCalls: modelCallsOf(job) }
}

/** Each contestant has a process of its own. */
export async function measured(
  work: Workload,
  field: readonly Entrant[],
  rounds: number,
): Promise<readonly Measurement[]> {
  const warmUps = Math.ceil(warmUpCalls / (work.runs * work.modelCalls))
  const contestants: Contestant[] = []
  for (const entrant of field) contestants.push(await entrant.start())
  const samples = contestants.map((): Sample[] => [])
  for (let round = -warmUps; round < rounds; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const { sample } = await contestant.play(work)
      if (round >= 0) samples[index]?.push(sample)
    }
  }
  for (const contestant of contestants) await contestant.stop()
  return contestants.map(({ label }, index) => ({
    name: label,
    samples: samples[index] ?? [],
    modelCallsPerRound: work.runs * work.modelCalls,
    runsPerRound: work.runs,
  }))
}
