/** What a tool call costs among 125 of one reply, and among 4 000: the window keeps it from growing. */
import { createAgent, createTroupe } from 'troupe'
import { instantModel } from '../chats/in-process.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { addTool, type Job } from '../jobs/job.ts'
import type { Entry } from './scenario.ts'

/** Runs of one step with `calls` calls; together they make four thousand. */
export function wideStepOf(calls: number): Entry {
  const title = `a step of ${calls}`
  const job: Job = {
    instructions: 'Add numbers with your tool.',
    task: 'Add 1 to each number.',
    script: { calls, perReply: calls, tool: 'add' },
  }
  const runs = Math.max(1, 4000 / calls)
  const rounds = { inProcess: 9, http: 0 }
  const scenario = { id: 'g', title, job, runs, concurrent: false, rounds, units: calls } as const
  return { scenario, contestant: contestant(title, job, calls) }
}

function contestant(
  name: string,
  { instructions, task, script }: Job,
  maxToolCallsPerStep: number,
): Contestant {
  const model = instantModel(script)
  const tools = { add: addTool }
  const agent = createAgent({
    id: 'lead',
    description: 'Adds.',
    instructions,
    model,
    tools,
    maxToolCallsPerStep,
  })
  return {
    name,
    prepare() {
      const { start } = createTroupe({ agents: [agent] })
      return async () => {
        const result = await (await start(agent, task)).result
        const done = result.steps[0]?.toolResults.filter(({ outcome }) => outcome === 'succeeded').length
        if (done !== script.calls) throw new Error(`${done} of ${script.calls} calls were made.`)
        return result.text
      }
    },
  }
}
