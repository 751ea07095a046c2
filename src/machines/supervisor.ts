/**
 * The supervisor: the think-act loop of `react` with delegation to subagents, bail, iteration review and
 * completion scoring. Its states stand in loop/.
 */
import { once } from '../actors/values/once.ts'
import { acting, onHeld, reportedInBackground } from './loop/states/acting.ts'
import { initialContext } from './loop/changes/context.ts'
import { deciding } from './loop/states/deciding.ts'
import { cancellingInBackground, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { bailing, reviewing, scoringInBackground } from './loop/states/reviewing.ts'
import { handedOff, handingOff } from './loop/states/handing-off.ts'
import { expiringInBackground } from './loop/states/expiring.ts'
import { preparing } from './loop/states/preparing.ts'
import { loopSetup } from './loop/setup.ts'
import { thinking } from './loop/states/thinking.ts'
import { dismissing, waiting } from './loop/states/waiting.ts'
import type { AgentReport } from './contract/agent.ts'

export const supervisorMachine = /* @__PURE__ */ once(() =>
  loopSetup.createMachine({
    id: 'supervisor',
    description: 'An agent that delegates to others, is reviewed and scored, and may be cut short by a bail.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentReport,
    initial: 'preparing',
    on: {
      cancel: '.cancelling',
      'budget.spent': '.expiring',
      ...reportedInBackground(),
      ...onHeld(undefined, { delegates: true }),
    },
    states: {
      preparing: preparing('#thinking'),
      thinking: thinking({ reviewed: true, afterAnswer: '#reviewing', mayEnd: true, handsOff: true }),
      acting: acting({ afterStep: '#reviewing', whenBailed: '#bailing', mayGoOn: true, handsOff: true }),
      bailing,
      reviewing,
      scoring: scoringInBackground,
      deciding: deciding({ reviewed: true }),
      waiting,
      dismissing,
      handingOff: handingOff({ reviewed: true }),
      expiring: expiringInBackground,
      exhausting: exhausting(true),
      finalTurn: finalTurn({ reviewed: true }),
      cancelling: cancellingInBackground,
      finishing: finishing(
        ['completed', 'exhausted', 'stopped', 'tripped', 'bailed', 'cancelled', 'handedOff'],
        {
          delegates: true,
        },
      ),
      completed: final('completed'),
      bailed: final('bailed'),
      exhausted: final('exhausted'),
      stopped: final('stopped'),
      tripped: final('tripped'),
      failed: final('failed'),
      cancelled: final('cancelled'),
      handedOff,
    },
  }),
)
