/**
 * The dispatcher: one classification, no loop. Its model chooses who answers; the chosen one is given the task as it
 * stands, and its answer, or its failure, is the dispatcher's.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/agent.ts'
import { dispatching } from './dispatch/dispatching.ts'
import { initialContext } from './loop/changes/context.ts'
import { cancelling, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { expiring } from './loop/states/expiring.ts'
import { preparing } from './loop/states/preparing.ts'
import { selecting } from './selection/selecting.ts'
import { selectionSetup } from './selection/setup.ts'

export const dispatchMachine = /* @__PURE__ */ once(() =>
  selectionSetup.createMachine({
    id: 'dispatch',
    description: 'An agent that chooses, once, who answers its task.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring' },
    states: {
      preparing: preparing('#classifying'),
      classifying: {
        ...selecting('dispatcher', '#dispatching'),
        id: 'classifying',
        description: 'Who answers the task?',
      },
      dispatching,
      expiring: expiring(),
      exhausting: exhausting(false),
      finalTurn: finalTurn({ reviewed: false }),
      cancelling,
      finishing: finishing(['completed', 'exhausted', 'tripped', 'bailed', 'cancelled'], {
        delegates: false,
        speaks: true,
      }),
      completed: final('completed'),
      bailed: final('bailed'),
      exhausted: final('exhausted'),
      tripped: final('tripped'),
      failed: final('failed'),
      cancelled: final('cancelled'),
    },
  }),
)
