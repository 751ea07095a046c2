/** What a child of a fan-out costs, among a hundred and among a thousand: the window keeps it from growing. */
import { createAgent, createFanOut, createTroupe } from 'troupe'
import { instantModel } from '../chats/in-process.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { delegating, helperDescription } from '../jobs/job.ts'
import { answer } from '../jobs/script.ts'
import type { Entry } from './scenario.ts'

/** Runs that have `children` children each; together they have a thousand. */
export function fanOutOf(children: number): Entry {
  const job = delegating(children, children)
  const runs = Math.max(1, 1000 / children)
  const rounds = { inProcess: 15, http: 0 }
  const title = `a fan-out of ${children}`
  const scenario = { id: 'f', title, job, runs, concurrent: false, rounds } as const
  return { scenario, contestant: contestant(title, children) }
}

function contestant(name: string, children: number): Contestant {
  const helper = createAgent({
    id: 'helper',
    description: helperDescription,
    instructions: 'Do it.',
    model: instantModel({ calls: 0, perReply: 1, tool: 'add' }),
  })
  const agent = createFanOut({
    id: 'lead',
    instructions: 'Give each part of the work to your helper.',
    model: dividing(children),
    agents: { helper },
    maxGoals: children,
    maxRounds: 1,
  })
  return {
    name,
    prepare() {
      const { start } = createTroupe({ agents: [agent] })
      return async () => {
        const result = await (await start(agent, 'Have the work done.')).result
        const done = result.delegations.filter(({ outcome }) => outcome === 'succeeded').length
        if (done !== children) throw new Error(`${done} of ${children} goals were reached.`)
        return result.text
      }
    },
  }
}

/** It divides, and then it answers. */
function dividing(children: number): ReturnType<typeof instantModel> {
  const goals = Array.from({ length: children }, (_, index) => ({
    goal: `Do part ${index + 1} of the work.`,
  }))
  const list = JSON.stringify({ goals })
  const inner = instantModel({ calls: 0, perReply: 1, tool: 'add' })
  return {
    ...inner,
    async generate(request, options) {
      const reply = await inner.generate(request, options)
      return { ...reply, text: request.responseFormat === undefined ? answer : list }
    },
  }
}
