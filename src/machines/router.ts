/**
 * The explicit routing agent: its model decides which agent, workflow or tool works on the task next, and why; the
 * decision is checked before anything runs. It is reviewed and scored as a supervisor is. This file draws every arrow
 * between the states; selection/ and loop/states/ hold their insides.
 */
import { once } from '../actors/values/once.ts'
import type { AgentOutput } from './contract/records.ts'
import { initialContext } from './loop/changes/context.ts'
import { holds, reports } from './loop/child-events.ts'
import { hearsNoSayings } from './loop/sayings.ts'
import { named } from './shared/named.ts'
import { batch } from './loop/states/batch.ts'
import { keeping } from './loop/states/keeping.ts'
import { cancelling, expiring } from './loop/states/closing.ts'
import { deciding } from './loop/states/deciding.ts'
import { exhausting, final, finalTurn, finishing, speaking } from './loop/states/ending.ts'
import { preparing } from './loop/states/preparing.ts'
import { reviewing, scoring } from './loop/states/reviewing.ts'
import { thinking } from './loop/states/thinking.ts'
import { selecting } from './selection/selecting.ts'
import { selectionSetup } from './selection/setup.ts'

const iterationGoesOn = { type: 'endIteration', params: { continue: true } } as const
const iterationIsLast = { type: 'endIteration', params: { continue: false } } as const
const beginIteration = [iterationGoesOn, 'beginStep', 'announceIterationStart', 'announceStepStart'] as const

export const routerMachine = /* @__PURE__ */ once(() =>
  selectionSetup.createMachine({
    id: 'router',
    description: 'An agent that decides, step by step, which agent, workflow or tool works on its task.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as AgentOutput,
    initial: 'preparing',
    on: { cancel: '.cancelling', 'budget.spent': '.expiring', ...reports, ...holds, ...hearsNoSayings },
    states: named({
      preparing: preparing({ ready: 'routing', ended: 'finishing' }),
      routing: {
        description: 'Which agent, workflow or tool works on the task next, or is it done?',
        entry: beginIteration,
        ...selecting('router', {
          chosen: 'executing',
          answered: 'reviewing',
          writes: 'writing',
          overBudget: 'exhausting',
          lost: 'finishing',
        }),
      },
      executing: {
        description: 'The chosen agent, workflow or tool is at work. Its result is that of the iteration.',
        ...batch({ settled: 'reviewing', bailed: 'bailing' }),
      },
      reviewing: reviewing({
        passed: 'deciding',
        scores: 'scoring',
        ends: 'finishing',
        lastWord: 'finalTurn',
      }),
      scoring: scoring({
        passedOnResult: 'finishing',
        writes: 'writing',
        passed: 'finishing',
        lacksAnswer: 'finalTurn',
        unmet: 'deciding',
        unmetAtEnd: 'exhausting',
      }),
      deciding: deciding({
        completed: 'finishing',
        stopped: 'finishing',
        exhausted: 'exhausting',
        again: 'routing',
      }),
      writing: {
        description: 'The task is done, and the answer is to be written.',
        initial: 'choosing',
        states: {
          choosing: { always: [{ guard: 'isScored', target: 'beginning' }, { target: 'asking' }] },
          beginning: {
            description: 'The scorers accept the result. The answer is an iteration of its own.',
            entry: beginIteration,
            always: 'asking',
          },
          asking: { entry: 'askForAnswerNow', always: '#thinking' },
        },
      },
      thinking: {
        description: 'The model writes the answer: it must have a shape, or pass output processors.',
        entry: 'beginDraft',
        ...thinking({
          answered: 'reviewing',
          overBudget: 'exhausting',
          outOfTime: 'expiring',
          ended: 'finishing',
        }),
      },
      exhausting: {
        entry: ['endStep', iterationIsLast],
        ...exhausting({ silent: 'finishing', speaks: 'finalTurn' }),
      },
      finalTurn: {
        entry: [iterationIsLast, 'beginDraft'],
        ...finalTurn({ ended: 'finishing', unanswered: 'finishing' }),
      },
      bailing: {
        description: 'The chosen agent has bailed: its answer is the answer of the run.',
        entry: [{ type: 'end', params: { outcome: 'bailed' } }, 'cutOpenStep'],
        always: 'finishing',
      },
      expiring: expiring({ closed: 'exhausting', bailed: 'bailing' }),
      cancelling: cancelling({ closed: 'finishing' }),
      finishing: {
        entry: ['endStep', iterationIsLast],
        ...finishing({
          keeping,
          speaking,
          ends: ['completed', 'exhausted', 'stopped', 'tripped', 'bailed', 'cancelled', 'failed'],
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
