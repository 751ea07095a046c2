/** Troupe, as a user writes it: journal in memory, events on, nobody reading. */
import {
  createAgent,
  createSupervisor,
  createTroupe,
  type AgentDefinition,
  type AroundOption,
  type CallOptions,
  type ChatModel,
} from 'troupe'
import { addTool, helperDescription, type Job } from '../jobs/job.ts'
import { repliesOf, type Script } from '../jobs/script.ts'
import type { Contestant } from './contestant.ts'

export interface Models {
  of(script: Script): ChatModel
  /** Whether they are asked to stream, where they can. */
  readonly stream: boolean
}

/** A troupe of its own for each round: its store keeps every journal. */
export function troupe(models: Models, job: Job, name = 'Troupe', around: AroundOption = []): Contestant {
  const agent = agentOf(models, job, 'lead')
  const options: CallOptions = { stream: models.stream }
  return {
    name,
    prepare() {
      const { start } = createTroupe({ agents: [agent], around })
      return async () => {
        const result = await (await start(agent, job.task, options)).result
        if (result.outcome !== 'completed')
          throw new Error(`A run of Troupe ended as ${JSON.stringify(result)}`)
        return result.text
      }
    },
  }
}

export function agentOf(models: Models, { instructions, script, helper }: Job, id: string): AgentDefinition {
  const common = {
    id,
    description: helperDescription,
    instructions,
    model: models.of(script),
    maxSteps: repliesOf(script),
  }
  if (helper === undefined) {
    return createAgent({ ...common, tools: { add: addTool } })
  }
  const agents = { helper: agentOf(models, helper, 'helper') }
  return createSupervisor({ ...common, agents, toolCallConcurrency: script.perReply })
}
