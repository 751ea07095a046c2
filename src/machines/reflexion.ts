/** Reflexion: the think-act loop of `react`, with a look at itself after each action and each answer. */
import { once } from '../actors/values/once.ts'
import type { AgentReport } from './contract/agent.ts'
import { acting } from './loop/states/acting.ts'
import { initialContext } from './loop/changes/context.ts'
import { deciding } from './loop/states/deciding.ts'
import { cancelling, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { handedOff, handingOff } from './loop/states/handing-off.ts'
import { expiring } from './loop/states/expiring.ts'
import { preparing } from './loop/states/preparing.ts'
import { thinking } from './loop/states/thinking.ts'
import { critiquing } from './reflexion/critiquing.ts'
import { reflexionSetup } from './reflexion/setup.ts'

export const reflexionMachine = /* @__PURE__ */ once(() =>
  reflexionSetup.createMachine({
    id: 'reflexion',
    description:
      'An agent that thinks, acts and criticises what it did, until it is satisfied or reaches a cap.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentReport,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring' },
    states: {
      preparing: preparing('#thinking'),
      thinking: thinking({ reviewed: false, afterAnswer: '#critiquing', handsOff: true }),
      acting: acting({ afterStep: '#critiquing', handsOff: true }),
      critiquing,
      deciding: deciding({ reviewed: false }),
      handingOff: handingOff({ reviewed: false }),
      expiring: expiring(),
      exhausting: exhausting(false),
      finalTurn: finalTurn({ reviewed: false }),
      cancelling,
      finishing: finishing(['completed', 'exhausted', 'stopped', 'tripped', 'cancelled', 'handedOff'], {
        delegates: false,
      }),
      completed: final('completed'),
      exhausted: final('exhausted'),
      stopped: final('stopped'),
      tripped: final('tripped'),
      failed: final('failed'),
      cancelled: final('cancelled'),
      handedOff,
    },
  }),
)
