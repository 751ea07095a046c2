/**
 * What a run costs in one troupe that many runs share: some are always in progress, and each that ends is followed by
 * another. It is compared with the same runs one after the other. A troupe that serves deletes what has ended, and so does this one.
 */
import { createTroupe } from 'troupe'
import { instantModel } from '../chats/in-process.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { agentOf } from '../contestants/troupe.ts'
import { adding } from '../jobs/job.ts'
import { answer } from '../jobs/script.ts'
import type { Entry } from './scenario.ts'

/** Runs in progress at a time; the first is what the others are compared with. */
const widths = [1, 10, 50, 100] as const

/** Runs of one round, however many are in progress. */
const runs = 500

const job = adding(3)

/** All of them share a troupe. */
export function oneTroupeField(): Entry[] {
  const agent = agentOf({ of: instantModel, stream: true }, job, 'lead')
  const troupe = createTroupe({ agents: [agent] })
  const once = async (): Promise<void> => {
    const run = await troupe.start(agent, job.task, { stream: true })
    const result = await run.result
    if (result.text !== answer) throw new Error(`A run of Troupe ended as ${JSON.stringify(result)}`)
    await troupe.delete(run.id)
  }
  return widths.map((width) => {
    const name = width === 1 ? 'one after the other' : `${width} at once`
    const each = runs / width
    const rounds = { inProcess: 9, http: 0 }
    const scenario = {
      id: 'h',
      title: name,
      job,
      runs: width,
      concurrent: true,
      rounds,
      units: each,
    } as const
    return { scenario, contestant: laneOf(name, each, once) }
  })
}

/** What does the job once here is a lane of runs, one after the other. */
function laneOf(name: string, each: number, once: () => Promise<void>): Contestant {
  return {
    name,
    prepare: () => async () => {
      for (let count = 0; count < each; count++) await once()
      return answer
    },
  }
}
