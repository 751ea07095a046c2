/**
 * The explicit routing agent: its model decides what works on the task next, and why; the decision is checked before
 * anything runs. It is reviewed and scored as a supervisor is, by the same states.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/agent.ts'
import { initialContext } from './loop/changes/context.ts'
import { cancelling, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { reviewing, scoring } from './loop/states/reviewing.ts'
import { thinking } from './loop/states/thinking.ts'
import { deciding } from './router/deciding.ts'
import { executing } from './router/executing.ts'
import { expiring } from './router/expiring.ts'
import { routing } from './router/routing.ts'
import { selectionSetup } from './selection/setup.ts'

export const routerMachine = /* @__PURE__ */ once(() =>
  selectionSetup.createMachine({
    id: 'router',
    description: 'An agent that decides, step by step, which agent, workflow or tool works on its task.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling' },
    states: {
      preparing: preparing('#routing'),
      routing,
      executing,
      thinking: {
        ...thinking({ reviewed: true, afterAnswer: '#reviewing', withTools: false, opens: false }),
        description:
          'The task is done, and the answer is to have a shape or is to be looked at: it is written.',
      },
      reviewing,
      scoring,
      deciding,
      expiring,
      exhausting: exhausting(false),
      finalTurn: finalTurn({ reviewed: true }),
      cancelling,
      finishing: finishing(['completed', 'exhausted', 'stopped', 'tripped', 'bailed', 'cancelled'], {
        delegates: false,
        speaks: true,
      }),
      completed: final('completed'),
      bailed: final('bailed'),
      exhausted: final('exhausted'),
      stopped: final('stopped'),
      tripped: final('tripped'),
      failed: final('failed'),
      cancelled: final('cancelled'),
    },
  }),
)
