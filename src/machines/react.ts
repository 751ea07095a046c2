/**
 * The think-act loop of a subagent: think, act on tool calls, decide, until there is an answer or a cap.
 * Its states stand in loop/, where `supervisor` takes them from too.
 */
import { once } from '../actors/values/once.ts'
import { acting } from './loop/states/acting.ts'
import { initialContext } from './loop/changes/context.ts'
import { deciding } from './loop/states/deciding.ts'
import { cancelling, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { handedOff, handingOff } from './loop/states/handing-off.ts'
import { expiring } from './loop/states/expiring.ts'
import { preparing } from './loop/states/preparing.ts'
import { loopSetup } from './loop/setup.ts'
import { thinking } from './loop/states/thinking.ts'
import type { AgentReport } from './contract/agent.ts'

export const reactMachine = /* @__PURE__ */ once(() =>
  loopSetup.createMachine({
    id: 'react',
    description: 'An agent that thinks and acts until it has an answer or reaches a cap.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentReport,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring' },
    states: {
      preparing: preparing('#thinking'),
      thinking: thinking({ reviewed: false, afterAnswer: '#deciding', mayEnd: true, handsOff: true }),
      acting: acting({ afterStep: '#deciding', mayGoOn: true, handsOff: true }),
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
