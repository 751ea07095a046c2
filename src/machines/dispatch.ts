/**
 * The dispatcher: one classification, no loop. Its model chooses the agent, workflow or tool that answers. An agent
 * is given the task unchanged. The answer or the failure of the chosen one is that of the dispatcher. This file draws
 * every arrow between the states.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/records.ts'
import { dispatchSetup } from './dispatch/setup.ts'
import { initialContext } from './loop/changes/context.ts'
import { endings, holds, reports } from './loop/child-events.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { named } from './shared/named.ts'
import { batch } from './loop/states/batch.ts'
import { announceOutOfTime, cancelling, expiring } from './loop/states/closing.ts'
import { exhausting, final, finalTurn, finishing, speaking } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { selecting } from './selection/selecting.ts'

export const dispatchMachine = /* @__PURE__ */ once(() =>
  dispatchSetup.createMachine({
    id: 'dispatch',
    description: 'Chooses, once, the agent, workflow or tool that answers its task.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsNoSayings },
    states: named({
      preparing: preparing({ ready: 'classifying', ended: 'finishing' }),
      classifying: {
        description: 'Which agent, workflow or tool answers the task?',
        entry: ['beginStep', 'announceStepStart'],
        ...selecting('dispatcher', {
          chosen: 'dispatching',
          none: 'finishing',
          overBudget: 'exhausting',
          lost: 'finishing',
        }),
      },
      dispatching: {
        description: 'The chosen agent, workflow or tool answers the task.',
        on: {
          ...endings,
          // The child ends with the results that it has, and so does the dispatcher.
          'budget.spent': { actions: ['expireChildren', announceOutOfTime] },
        },
        ...batch({ settled: 'finishing' }),
      },
      exhausting: { entry: 'endStep', ...exhausting({ silent: 'finishing', speaks: 'finalTurn' }) },
      finalTurn: { entry: 'beginDraft', ...finalTurn({ ended: 'finishing' }) },
      expiring: expiring({ closed: 'exhausting' }),
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: {
        entry: 'endStep',
        ...finishing({
          speaking,
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
