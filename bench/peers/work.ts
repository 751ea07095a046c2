/** The work of a round, and what a contestant is given for it. Jobs are plain data: the process of a contestant gets them. */
import type { Job } from '../jobs/job.ts'
import { answer, repliesOf, replyAfter, type Script, type ScriptedReply } from '../jobs/script.ts'
import type { Sample } from '../support/measure.ts'

export interface Work {
  readonly job: Job
  /** Runs of the job in one round, at once or one after the other. */
  readonly runs: number
  readonly concurrent: boolean
  /** Model calls of one run, its helpers' included. */
  readonly modelCalls: number
}

/** What a module of `contestants` needs of the bench. It imports nothing of it: it is copied to where its package is. */
export interface Kit {
  readonly addDescription: string
  readonly helperDescription: string
  readonly repliesOf: (script: Script) => number
  readonly add: (args: { readonly a: number; readonly b: number }) => number
  /** `ids`: those of the calls whose results the model was sent last, in any order; none at the beginning. */
  readonly replyTo: (ids: readonly string[], script: Script) => ScriptedReply
}

/** Makes ready for one round, and gives what does the job once and fulfils with the answer. */
export type Create = (job: Job, kit: Kit) => () => Promise<string>

/**
 * Throws where an answer, or the number of model or tool calls, is not that of the job. No collection is forced: a contestant
 * has its process to itself, so that the garbage of its earlier rounds is its own cost.
 */
export async function playRound(create: Create, work: Work, countsCalls: boolean): Promise<Sample> {
  const { job, runs, concurrent, modelCalls } = work
  const counts = { replies: 0, additions: 0 }
  const run = create(job, kitThatCounts(counts))
  const cpuBefore = process.cpuUsage()
  const wallBefore = performance.now()
  const answers = concurrent ? await Promise.all(Array.from({ length: runs }, run)) : await inTurn(runs, run)
  const wall = performance.now() - wallBefore
  const { user, system } = process.cpuUsage(cpuBefore)
  const wrong = answers.find((text) => text !== answer)
  if (wrong !== undefined) throw new Error(`The answer was ${JSON.stringify(wrong)}.`)
  const expected = {
    replies: runs * modelCalls,
    additions: job.helper === undefined ? runs * job.script.calls : 0,
  }
  if (countsCalls && JSON.stringify(counts) !== JSON.stringify(expected))
    throw new Error(`${JSON.stringify(counts)} were counted, and ${JSON.stringify(expected)} expected.`)
  return { wall, cpu: (user + system) / 1000 }
}

async function inTurn(runs: number, run: () => Promise<string>): Promise<string[]> {
  const answers: string[] = []
  for (let count = 0; count < runs; count++) answers.push(await run())
  return answers
}

function kitThatCounts(counts: { replies: number; additions: number }): Kit {
  return {
    addDescription: 'Adds two numbers.',
    helperDescription: 'Does one part of the work.',
    repliesOf,
    add({ a, b }) {
      counts.additions++
      return a + b
    },
    replyTo(ids, script) {
      counts.replies++
      const last = Math.max(0, ...ids.map((id) => Number(id.slice(id.indexOf('-') + 1))))
      return replyAfter(last === 0 ? undefined : `call-${last}`, script)
    },
  }
}
