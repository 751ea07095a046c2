/**
 * A fan-out (TrustGraph calls it supervisor): the task is divided into independent goals, each goes to an agent of its
 * own pattern, and one synthesis is made of all results. Its own states stand in fan-out/, the others in loop/.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/agent.ts'
import { bailing, collecting, expiringRound } from './fan-out/collecting.ts'
import { decomposing, dispatching } from './fan-out/decomposing.ts'
import { fanOutSetup } from './fan-out/setup.ts'
import { deciding, synthesising } from './fan-out/synthesising.ts'
import { initialContext } from './loop/changes/context.ts'
import { cancelling, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { expiring } from './loop/states/expiring.ts'
import { preparing } from './loop/states/preparing.ts'

export const fanOutMachine = /* @__PURE__ */ once(() =>
  fanOutSetup.createMachine({
    id: 'fan-out',
    description:
      'Divides its task into goals, gives them to agents side by side, and puts the results together.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring' },
    states: {
      preparing: preparing('#decomposing'),
      decomposing,
      dispatching,
      collecting,
      bailing,
      synthesising,
      deciding,
      expiring: expiring(),
      expiringRound,
      exhausting: exhausting(false),
      finalTurn: finalTurn({ reviewed: false }),
      cancelling,
      finishing: finishing(['completed', 'bailed', 'exhausted', 'stopped', 'tripped', 'cancelled'], {
        delegates: false,
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
