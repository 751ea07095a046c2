/** `decomposing`: the model divides the task into goals. */
import type { ErrorData } from '../../errors.ts'
import { asking } from '../loop/states/asking.ts'
import { decomposition } from './goals.ts'
import { fanOutSetup, goalsTaken } from './setup.ts'

const noAgents: ErrorData = {
  name: 'NoCandidatesError',
  code: 'NO_CANDIDATES',
  message: 'A fan-out needs at least one agent.',
}

interface Targets {
  readonly made: string
  readonly overBudget: string
  /** There is no agent, or the model has given no goals. */
  readonly lost: string
}

export function decomposing(to: Targets) {
  return fanOutSetup.createStateConfig({
    description: 'The task is divided into goals that do not depend on each other.',
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Is there any agent? Agents computed for the run may be none.',
        always: [
          {
            guard: 'hasNoAgents',
            target: `#${to.lost}`,
            actions: [
              { type: 'end', params: { outcome: 'failed', error: noAgents } },
              { type: 'announceError', params: noAgents },
            ],
          },
          { target: 'asking' },
        ],
      },
      asking: asking({ question: decomposition, take: goalsTaken }, to),
    },
  })
}
