/**
 * A fan-out (TrustGraph calls it supervisor): the task is divided into independent goals, each goal goes to an agent
 * of any pattern, and one answer is made of all results. This file draws every arrow between the states; fan-out/ and
 * loop/states/ hold their insides.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/records.ts'
import { collecting } from './fan-out/collecting.ts'
import { decomposing } from './fan-out/decomposing.ts'
import { fanOutSetup } from './fan-out/setup.ts'
import { synthesising } from './fan-out/synthesising.ts'
import { initialContext } from './loop/changes/context.ts'
import { holds, reports } from './loop/child-events.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { named } from './shared/named.ts'
import { bailing, cancelling, expiring } from './loop/states/closing.ts'
import { keeping } from './loop/states/keeping.ts'
import { deciding } from './loop/states/deciding.ts'
import { exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { thinking } from './loop/states/thinking.ts'
import { firstWork } from './fan-out/round.ts'

export const fanOutMachine = /* @__PURE__ */ once(() =>
  fanOutSetup.createMachine({
    id: 'fan-out',
    description:
      'Divides its task into goals, delegates them side by side, and makes one answer of the results.',
    context: ({ input }) => initialContext(input, firstWork),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsNoSayings },
    states: named({
      preparing: preparing({ ready: 'decomposing', ended: 'finishing' }),
      decomposing: decomposing({ made: 'dispatching', overBudget: 'exhausting', lost: 'finishing' }),
      dispatching: {
        description:
          'The children of the round are registered, each with an id of its own: equal goals are two children.',
        entry: ['openRound', 'announceOpenStep', 'announceFanOut'],
        always: 'collecting',
      },
      collecting: collecting({ settled: 'synthesising', bailed: 'bailing' }),
      synthesising: synthesising({
        capped: 'exhausting',
        overBudget: 'exhausting',
        usageUnknown: 'finishing',
        otherGoals: 'deciding',
        answers: 'thinking',
      }),
      thinking: {
        description: 'The model writes the answer.',
        entry: ['beginStep', 'announceStepStart'],
        ...thinking({
          answered: 'deciding',
          overBudget: 'exhausting',
          outOfTime: 'expiring',
          ended: 'finishing',
        }),
      },
      deciding: deciding({
        completed: 'finishing',
        stopped: 'finishing',
        otherWork: 'dispatching',
        exhausted: 'exhausting',
        unanswered: 'thinking',
      }),
      exhausting: { entry: 'endStep', ...exhausting({ silent: 'finishing', speaks: 'finalTurn' }) },
      finalTurn: { entry: 'beginDraft', ...finalTurn({ ended: 'finishing' }) },
      bailing: bailing({ closed: 'finishing' }),
      expiring: expiring({ closed: 'exhausting', bailed: 'bailing' }),
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: {
        entry: 'endStep',
        ...finishing({
          keeping,
          ends: ['completed', 'bailed', 'exhausted', 'stopped', 'tripped', 'cancelled', 'failed'],
        }),
      },
      completed: final(),
      bailed: final(),
      exhausted: final(),
      stopped: final(),
      tripped: final(),
      failed: final(),
      cancelled: final(),
    }),
  }),
)
