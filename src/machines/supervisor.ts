/**
 * The supervisor: the think-act loop of `react` with delegation to subagents, bail, iteration review and completion
 * scoring. This file draws every arrow between the states; loop/states/ holds their insides,
 * and says at `Targets` when each arrow is taken. `finishing` leads to `failed` too.
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
import { bailing, cancelling, dismissing, expiring } from './loop/states/closing.ts'
import { deciding } from './loop/states/deciding.ts'
import { editing } from './loop/states/editing.ts'
import { exhausting, final, finalTurn, finishing } from './loop/states/ending.ts'
import { handedOff, handingOff } from './loop/states/handing-off.ts'
import { preparing } from './loop/states/preparing.ts'
import { reviewing, scoring } from './loop/states/reviewing.ts'
import { screening } from './loop/states/screening.ts'
import { thinking } from './loop/states/thinking.ts'
import { waiting } from './loop/states/waiting.ts'

const iterationGoesOn = { type: 'endIteration', params: { continue: true } } as const
const iterationIsLast = { type: 'endIteration', params: { continue: false } } as const

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
      ...reportsWithBackground({ bailed: 'bailing' }),
      ...holdsInBackground,
      ...hearsSayings,
    },
    states: named({
      preparing: preparing({ ready: 'thinking', resumes: 'handingOff', ended: 'finishing' }),
      thinking: {
        description: 'The model answers, or calls tools and agents.',
        entry: [
          iterationGoesOn,
          'addBackgroundNotices',
          'hearSayings',
          'beginStep',
          'announceIterationStart',
          'announceOpenStep',
        ],
        ...thinking({
          answered: 'reviewing',
          calls: 'acting',
          overBudget: 'exhausting',
          outOfTime: 'expiring',
          ended: 'finishing',
          screening: screening('sizing', 'hearSayings'),
          editing,
        }),
      },
      acting: {
        description: 'The tool calls and delegations of the step run side by side within the window.',
        entry: ['announceRefusedCalls', 'startCalls', 'startInBackground'],
        ...batch({ settled: 'reviewing', handsOff: 'handingOff', bailed: 'bailing' }),
      },
      reviewing: reviewing({
        passed: 'deciding',
        scores: 'scoring',
        ends: 'finishing',
        lastWord: 'finalTurn',
      }),
      scoring: scoring({
        passed: 'finishing',
        lacksAnswer: 'finalTurn',
        unmet: 'deciding',
        unmetAtEnd: 'exhausting',
        screening: screening('judging'),
      }),
      deciding: deciding({
        completed: 'finishing',
        stopped: 'finishing',
        exhausted: 'exhausting',
        waits: 'waiting',
        again: 'thinking',
        screening: screening('judging'),
      }),
      waiting: {
        entry: iterationGoesOn,
        ...waiting({ notices: 'thinking', atEnd: 'exhausting', screening: screening('working') }),
      },
      handingOff: handingOff({ capped: 'exhausting', left: 'finishing' }),
      exhausting: {
        entry: ['endStep', iterationIsLast],
        ...exhausting({ silent: 'finishing', waits: 'waiting', speaks: 'finalTurn' }),
      },
      finalTurn: {
        entry: [iterationIsLast, 'addBackgroundNotices', 'hearSayings', 'beginDraft'],
        ...finalTurn({
          ended: 'finishing',
          unanswered: 'finishing',
          screening: screening('sizing', 'hearSayings'),
          editing,
        }),
      },
      bailing: bailing({ closed: 'finishing' }),
      expiring: expiring({ closed: 'exhausting', bailed: 'bailing' }),
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: {
        entry: ['endStep', iterationIsLast],
        ...finishing({
          keeping,
          dismissing: dismissing(
            { closed: 'finishing', cancelled: 'cancelling' },
            'The supervisor has ended.',
          ),
          cancelled: 'cancelling',
          outOfTime: 'expiring',
          ends: [
            'completed',
            'exhausted',
            'stopped',
            'tripped',
            'bailed',
            'cancelled',
            'handedOff',
            'failed',
          ],
        }),
      },
      completed: final(),
      bailed: final(),
      exhausted: final(),
      stopped: final(),
      tripped: final(),
      failed: final(),
      cancelled: final(),
      handedOff,
    }),
  }),
)
