/**
 * What a call costs among a few of one reply, and among thousands: tool calls and delegations, in the window and all at
 * once.
 */
import { createAgent, createSupervisor, createTroupe } from 'troupe'
import { instantModel } from '../chats/in-process.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { addTool, delegating, helperDescription, type Job } from '../jobs/job.ts'
import type { Entry } from './scenario.ts'

type Call = 'tool calls' | 'delegations'

interface Step {
  readonly call: Call
  /** Those of one reply. */
  readonly calls: number
  /** Those of all runs of a round. */
  readonly all: number
  /** `false`: all calls of the step are live at once. */
  readonly hasWindow: boolean
}

export function wideStepOf(step: Step): Entry {
  const { call, calls, all, hasWindow } = step
  const title = `${calls} ${call}${hasWindow ? '' : ' at once'}`
  const job = jobOf(call, calls)
  const rounds = { inProcess: 9, http: 0 }
  const runs = all / calls
  const scenario = { id: 'g', title, job, runs, concurrent: false, rounds, units: calls } as const
  return { scenario, contestant: contestant(title, job, step) }
}

function jobOf(call: Call, calls: number): Job {
  if (call === 'delegations') return delegating(calls, calls)
  return {
    instructions: 'Add numbers with your tool.',
    task: 'Add 1 to each number.',
    script: { calls, perReply: calls, tool: 'add' },
  }
}

function contestant(
  name: string,
  { instructions, task, script, helper }: Job,
  { calls, hasWindow }: Step,
): Contestant {
  const common = {
    id: 'lead',
    description: 'Leads.',
    instructions,
    model: instantModel(script),
    maxToolCallsPerStep: calls,
    ...(hasWindow ? {} : { toolCallConcurrency: calls }),
  }
  const agent =
    helper === undefined
      ? createAgent({ ...common, tools: { add: addTool } })
      : createSupervisor({ ...common, agents: { helper: helperOf(helper) } })
  return {
    name,
    prepare() {
      const { start } = createTroupe({ agents: [agent] })
      return async () => {
        const result = await (await start(agent, task)).result
        const done = result.steps[0]?.toolResults.filter(({ outcome }) => outcome === 'succeeded').length
        if (done !== calls) throw new Error(`${done} of ${calls} calls were made.`)
        return result.text
      }
    },
  }
}

function helperOf({ instructions, script }: Job) {
  return createAgent({
    id: 'helper',
    description: helperDescription,
    instructions,
    model: instantModel(script),
  })
}
