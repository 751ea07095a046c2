/**
 * Plan, then execute: the model lays out the task as steps that depend on one another; they are carried out side by
 * side, what remains is planned anew when one fails, and an answer is made of what they gave.
 */
import { once } from '../actors/values/once.ts'
import { initialContext } from './loop/changes/context.ts'
import { cancelling, exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { thinking } from './loop/states/thinking.ts'
import { concluding, deciding } from './plan-then-execute/deciding.ts'
import { bailing, executing, expiring } from './plan-then-execute/executing.ts'
import { planning, replanning, validating } from './plan-then-execute/planning.ts'
import { planSetup } from './plan-then-execute/setup.ts'
import type { AgentOutput } from './contract/agent.ts'

export const planThenExecuteMachine = /* @__PURE__ */ once(() =>
  planSetup.createMachine({
    id: 'plan-then-execute',
    description: 'An agent that plans first, carries the steps out, and makes an answer of what they gave.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring' },
    states: {
      preparing: preparing('#planning'),
      planning,
      validating,
      executing,
      bailing,
      deciding,
      replanning,
      synthesising: thinking({ reviewed: false, afterAnswer: '#concluding', withTools: false }),
      concluding,
      expiring,
      exhausting: exhausting(false),
      finalTurn: finalTurn({ reviewed: false }),
      cancelling,
      finishing: {
        ...finishing(['completed', 'exhausted', 'tripped', 'bailed', 'cancelled'], { delegates: false }),
        entry: 'closePlan',
      },
      completed: final('completed'),
      bailed: final('bailed'),
      exhausted: final('exhausted'),
      tripped: final('tripped'),
      failed: final('failed'),
      cancelled: final('cancelled'),
    },
  }),
)
