/**
 * The think-act loop of a subagent: think, act on tool calls, decide, until there is an answer or a cap. This file
 * draws every arrow between the states; loop/states/ holds their insides.
 */
import { once } from '../actors/values/once.ts'
import type { AgentReport } from './contract/agent.ts'
import { initialContext } from './loop/changes/context.ts'
import { holdsInBackground, reportsWithBackground } from './loop/child-events.ts'
import { named } from './shared/named.ts'
import { hearsSayings } from './loop/sayings.ts'
import { loopSetup } from './loop/setup.ts'
import { batch } from './loop/states/batch.ts'
import { keeping } from './loop/states/keeping.ts'
import { cancelling, dismissing, expiring } from './loop/states/closing.ts'
import { deciding } from './loop/states/deciding.ts'
import { editing } from './loop/states/editing.ts'
import { exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { handedOff, handingOff } from './loop/states/handing-off.ts'
import { preparing } from './loop/states/preparing.ts'
import { screening } from './loop/states/screening.ts'
import { thinking } from './loop/states/thinking.ts'
import { waiting } from './loop/states/waiting.ts'

export const reactMachine = /* @__PURE__ */ once(() =>
  loopSetup.createMachine({
    id: 'react',
    description: 'An agent that thinks and acts until it has an answer or reaches a cap.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentReport,
    initial: 'preparing',
    on: {
      cancel: '.cancelling',
      'budget.spent': '.expiring',
      ...reportsWithBackground({}),
      ...holdsInBackground,
      ...hearsSayings,
    },
    states: named({
      preparing: preparing({ ready: 'thinking', resumes: 'handingOff', ended: 'finishing' }),
      thinking: {
        description: 'The model answers, or calls tools.',
        entry: ['addBackgroundNotices', 'hearSayings', 'beginStep', 'announceOpenStep'],
        ...thinking({
          answered: 'deciding',
          calls: 'acting',
          overBudget: 'exhausting',
          outOfTime: 'expiring',
          ended: 'finishing',
          screening: screening('sizing', 'hearSayings'),
          editing,
        }),
      },
      acting: {
        description: 'The tool calls of the step run side by side within the window.',
        entry: ['announceRefusedCalls', 'startCalls', 'startInBackground'],
        ...batch({ settled: 'deciding', handsOff: 'handingOff' }),
      },
      deciding: deciding({
        completed: 'finishing',
        stopped: 'finishing',
        exhausted: 'exhausting',
        waits: 'waiting',
        again: 'thinking',
        screening: screening('judging'),
      }),
      waiting: waiting({ notices: 'thinking', atEnd: 'exhausting', screening: screening('working') }),
      handingOff: handingOff({ capped: 'exhausting', left: 'finishing' }),
      exhausting: {
        entry: 'endStep',
        ...exhausting({ silent: 'finishing', waits: 'waiting', speaks: 'finalTurn' }),
      },
      finalTurn: {
        entry: ['addBackgroundNotices', 'hearSayings', 'beginDraft'],
        ...finalTurn({ ended: 'finishing', screening: screening('sizing', 'hearSayings'), editing }),
      },
      expiring: expiring({ closed: 'exhausting' }),
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: {
        entry: 'endStep',
        ...finishing({
          keeping,
          dismissing: dismissing({ closed: 'finishing', cancelled: 'cancelling' }, 'The agent has ended.'),
          cancelled: 'cancelling',
          outOfTime: 'expiring',
          ends: ['completed', 'exhausted', 'stopped', 'tripped', 'cancelled', 'handedOff', 'failed'],
        }),
      },
      completed: final(),
      exhausted: final(),
      stopped: final(),
      tripped: final(),
      failed: final(),
      cancelled: final(),
      handedOff,
    }),
  }),
)
