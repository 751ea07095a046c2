/**
 * A debate: several agents answer independently of each other, criticise each other for some rounds, and one answer
 * is made of their proposals. This file draws every arrow between the states; loop/states/ holds their insides.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/records.ts'
import { debateSetup } from './debate/setup.ts'
import { judging } from './debate/judging.ts'
import { initialContext } from './loop/changes/context.ts'
import { holds, reports } from './loop/child-events.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { named } from './shared/named.ts'
import { batch } from './loop/states/batch.ts'
import { keeping } from './loop/states/keeping.ts'
import { bailing, cancelling, expiring, outOfTime } from './loop/states/closing.ts'
import { deciding } from './loop/states/deciding.ts'
import { exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { thinking } from './loop/states/thinking.ts'
import { firstWork } from './debate/work.ts'

export const debateMachine = /* @__PURE__ */ once(() =>
  debateSetup.createMachine({
    id: 'debate',
    description: 'Several agents propose answers and criticise each other; one answer reconciles them.',
    context: ({ input }) => initialContext(input, firstWork),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsNoSayings },
    states: named({
      preparing: preparing({ ready: 'proposing', ended: 'finishing' }),
      proposing: {
        description: 'Each agent answers, and sees no other answer.',
        entry: ['propose', 'announceStepStart'],
        ...batch({ settled: 'judging', bailed: 'bailing' }),
      },
      judging: judging({
        noQuorum: 'finishing',
        again: 'critiquing',
        capped: 'exhausting',
        agreed: 'reconciling',
      }),
      critiquing: {
        description: 'Each agent reads the other proposals, and may change its own.',
        entry: ['criticise', 'announceStepStart'],
        ...batch({ settled: 'judging', bailed: 'bailing' }),
      },
      reconciling: {
        description: 'The proposals become a prompt for one answer.',
        entry: 'askForReconciliation',
        always: 'thinking',
      },
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
        exhausted: 'exhausting',
        unanswered: 'thinking',
      }),
      exhausting: { entry: 'endStep', ...exhausting({ silent: 'finishing', speaks: 'finalTurn' }) },
      finalTurn: { entry: 'beginDraft', ...finalTurn({ ended: 'finishing' }) },
      bailing: bailing({ closed: 'finishing' }),
      expiring: {
        ...expiring({ closed: 'exhausting', bailed: 'bailing' }),
        entry: [...outOfTime, 'expireChildren'],
      },
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
