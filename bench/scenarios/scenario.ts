/** What is measured: a job, how often it is done in one round, and who does it. */
import type { Contestant } from '../contestants/contestant.ts'
import type { Job } from '../jobs/job.ts'

export interface Scenario {
  readonly id: ScenarioId
  readonly title: string
  readonly job: Job
  /** Runs of the job in one round. */
  readonly runs: number
  /** Side by side, or one after the other. */
  readonly concurrent: boolean
  /** How many rounds count, in this process and over HTTP. */
  readonly rounds: { readonly inProcess: number; readonly http: number }
  /** What one run costs is divided by this many. Default: its model calls. */
  readonly units?: number
}

/** `f`, `g` and `h` have no other contestants: a fan-out, a step, or a troupe, is compared with itself. */
export type ScenarioId = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h'

/** A scenario done by somebody. */
export interface Entry {
  readonly scenario: Scenario
  readonly contestant: Contestant
}
