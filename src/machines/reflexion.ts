/** Reflexion: the think-act loop of `react`, in which the model criticises each of its actions and answers. */
import { once } from '../actors/values/once.ts'
import type { AgentReport } from './contract/agent.ts'
import { initialContext } from './loop/changes/context.ts'
import { holds, reports } from './loop/child-events.ts'
import { hearsSayings } from './loop/sayings.ts'
import { named } from './shared/named.ts'
import { batch } from './loop/states/batch.ts'
import { keeping } from './loop/states/keeping.ts'
import { cancelling, expiring } from './loop/states/closing.ts'
import { deciding } from './loop/states/deciding.ts'
import { editing } from './loop/states/editing.ts'
import { exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { handedOff, handingOff } from './loop/states/handing-off.ts'
import { preparing } from './loop/states/preparing.ts'
import { screening } from './loop/states/screening.ts'
import { thinking } from './loop/states/thinking.ts'
import { critiquing } from './reflexion/critiquing.ts'
import { firstWork, reflexionSetup } from './reflexion/setup.ts'

export const reflexionMachine = /* @__PURE__ */ once(() =>
  reflexionSetup.createMachine({
    id: 'reflexion',
    description:
      'An agent that thinks, acts and criticises its own steps, until it is satisfied or reaches a cap.',
    context: ({ input }) => initialContext(input, firstWork),
    output: ({ event }) => event.output as AgentReport,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsSayings },
    states: named({
      preparing: preparing({ ready: 'thinking', resumes: 'handingOff', ended: 'finishing' }),
      thinking: {
        description: 'The model answers, or calls tools.',
        entry: ['hearSayings', 'beginStep', 'announceOpenStep'],
        ...thinking({
          answered: 'critiquing',
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
        entry: ['announceRefusedCalls', 'startCalls'],
        ...batch({ settled: 'critiquing', handsOff: 'handingOff' }),
      },
      critiquing: critiquing({ passed: 'deciding' }),
      deciding: deciding({
        completed: 'finishing',
        stopped: 'finishing',
        exhausted: 'exhausting',
        again: 'thinking',
        screening: screening('judging'),
      }),
      handingOff: handingOff({ capped: 'exhausting', left: 'finishing' }),
      exhausting: { entry: 'endStep', ...exhausting({ silent: 'finishing', speaks: 'finalTurn' }) },
      finalTurn: {
        entry: ['hearSayings', 'beginDraft'],
        ...finalTurn({ ended: 'finishing', screening: screening('sizing', 'hearSayings'), editing }),
      },
      expiring: expiring({ closed: 'exhausting' }),
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: {
        entry: 'endStep',
        ...finishing({
          keeping,
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
