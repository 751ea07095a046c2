/**
 * Plan, then execute: the model lays out the task as steps that depend on one another; they are carried out side by
 * side, the rest is planned again when one fails, and an answer is made of their results. This file draws every arrow
 * between the states; plan-then-execute/ and loop/states/ hold their insides.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/records.ts'
import { initialContext } from './loop/changes/context.ts'
import { holds, reports } from './loop/child-events.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { named } from './shared/named.ts'
import { bailing, cancelling } from './loop/states/closing.ts'
import { keeping } from './loop/states/keeping.ts'
import { exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { thinking } from './loop/states/thinking.ts'
import { approving } from './plan-then-execute/approving.ts'
import { concluding, deciding } from './plan-then-execute/deciding.ts'
import { executing, expiring } from './plan-then-execute/executing.ts'
import { planning, replanning, validating } from './plan-then-execute/planning.ts'
import { planSetup } from './plan-then-execute/setup.ts'
import { firstWork } from './plan-then-execute/work.ts'

export const planThenExecuteMachine = /* @__PURE__ */ once(() =>
  planSetup.createMachine({
    id: 'plan-then-execute',
    description: 'An agent that plans first, carries the steps out, and makes an answer of their results.',
    context: ({ input }) => initialContext(input, firstWork),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsNoSayings },
    states: named({
      preparing: preparing({ ready: 'planning', ended: 'finishing' }),
      planning: planning({ planned: 'validating' }),
      validating: validating({ sound: 'approving', unsound: 'deciding' }),
      approving: approving({ approved: 'executing', rejected: 'deciding', failed: 'finishing' }),
      executing: executing({ settled: 'deciding', bailed: 'bailing' }),
      deciding: deciding({
        carriedOut: 'synthesising',
        replans: 'replanning',
        partial: 'synthesising',
        overBudget: 'exhausting',
        ended: 'finishing',
      }),
      replanning: replanning({ planned: 'validating' }),
      synthesising: {
        description: 'The model writes the answer.',
        entry: ['beginStep', 'announceStepStart'],
        ...thinking(
          {
            answered: 'concluding',
            overBudget: 'exhausting',
            outOfTime: 'expiring',
            ended: 'finishing',
          },
          'synthesising',
        ),
      },
      concluding: concluding({ answered: 'finishing', exhausted: 'exhausting', empty: 'synthesising' }),
      exhausting: { entry: 'endStep', ...exhausting({ silent: 'finishing', speaks: 'finalTurn' }) },
      finalTurn: { entry: 'beginDraft', ...finalTurn({ ended: 'finishing' }) },
      bailing: bailing({ closed: 'finishing' }),
      expiring: expiring({ closed: 'exhausting', bailed: 'bailing' }),
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: {
        entry: ['endStep', 'closePlan'],
        ...finishing({
          keeping,
          ends: ['completed', 'exhausted', 'tripped', 'bailed', 'cancelled', 'failed'],
        }),
      },
      completed: final(),
      bailed: final(),
      exhausted: final(),
      tripped: final(),
      failed: final(),
      cancelled: final(),
    }),
  }),
)
