/**
 * `collecting`: the children of a round, side by side within the window, under one deadline from their dispatch. What
 * fails or runs out of time has its outcome too; when all have theirs, the round is closed.
 */
import { announceSpent, spentEnding, unmoved } from '../loop/states/expiring.ts'
import { childOf, crashOf, delegationReportOf } from '../loop/child-events.ts'
import { spentError } from '../loop/changes/spent-error.ts'
import { goalTimeoutOf } from './round.ts'
import { fanOutSetup, roundTimer } from './setup.ts'

/** A completion is on record, and the child that made it is gone. */
const goalTakenDown = [
  { type: 'recordGoal', params: delegationReportOf },
  { type: 'reap', params: childOf },
] as const

/** Completions: taken down by the id of the child, and the child reaped. Only one that is awaited changes anything. */
function onCompletions<const Target extends string>(target?: Target) {
  const next = target === undefined ? {} : { target }
  return {
    'xstate.done.actor.*': {
      ...next,
      guard: { type: 'isAwaited', params: childOf },
      actions: [...goalTakenDown],
    },
    'xstate.error.actor.*': {
      ...next,
      guard: { type: 'isAwaited', params: childOf },
      actions: [
        { type: 'recordGoalCrash', params: crashOf },
        { type: 'reap', params: childOf },
      ],
    },
  } as const
}

const recordHeld = (isHeld: boolean) =>
  ({
    type: 'recordHeld',
    params: ({ event }: { event: { child: string } }) => ({ child: event.child, isHeld }),
  }) as const

const isIn = {
  guard: 'allSettled',
  target: '#synthesising',
  actions: ['closeRound', 'announceStepFinish', 'announceFanIn'],
} as const

const isCutShort = { guard: 'isBailing', target: '#bailing' } as const

const judged = onCompletions('.judging')

export const collecting = /* @__PURE__ */ fanOutSetup.createStateConfig({
  id: 'collecting',
  description: 'The children of the round work side by side within the window. One deadline holds for all.',
  entry: 'startCalls',
  invoke: {
    src: 'timer',
    id: roundTimer,
    input: ({ context }) => ({ delay: goalTimeoutOf(context) }),
    onDone: '.lapsing',
  },
  initial: 'waiting',
  on: {
    'budget.spent': '#expiringRound',
    ...judged,
    'xstate.done.actor.*': [
      { guard: { type: 'isOneOfMany', params: delegationReportOf }, actions: [...goalTakenDown] },
      judged['xstate.done.actor.*'],
    ],
    'child.held': { target: '.judging', actions: [recordHeld(true), 'pauseRound'] },
    'child.released': [
      {
        guard: { type: 'isLastHeld', params: ({ event }) => ({ child: event.child }) },
        target: '.judging',
        actions: [recordHeld(false), 'unpauseRound'],
      },
      { target: '.judging', actions: recordHeld(false) },
    ],
  },
  states: {
    judging: {
      description: 'After a completion: is it the last, and if not, who is next?',
      always: [isCutShort, isIn, { target: 'waiting', actions: 'startCalls' }],
    },
    waiting: { always: { guard: 'onlyHeldLeft', target: 'held' } },
    held: {
      description: 'Only children that wait for a person are left. The deadline stands still meanwhile.',
      entry: 'announceHeld',
      exit: 'announceReleased',
    },
    lapsing: {
      description: 'The time is up: children at work are told and report, and no other is started.',
      entry: ['lapseQueued', 'lapseLive'],
      always: [isCutShort, isIn],
      on: {
        ...onCompletions(),
        'child.held': { actions: recordHeld(true) },
        'child.released': { actions: recordHeld(false) },
      },
    },
  },
})

export const bailing = /* @__PURE__ */ fanOutSetup.createStateConfig({
  id: 'bailing',
  description: "A child's answer is the run's answer. The others are told, and report before the run ends.",
  entry: { type: 'cancelChildren', params: { cause: 'bail', reason: 'Another agent bailed.' } },
  always: {
    guard: 'noLiveChildren',
    target: '#finishing',
    actions: ['recordRound', 'announceStepFinish', { type: 'end', params: { outcome: 'bailed' } }],
  },
  on: { cancel: {}, ...unmoved, ...onCompletions() },
})

export const expiringRound = /* @__PURE__ */ fanOutSetup.createStateConfig({
  id: 'expiringRound',
  description: 'The time of the run is up: children at work are told and report, and no other is started.',
  entry: [
    'abortEffects',
    spentEnding,
    announceSpent,
    { type: 'dropQueued', params: spentError },
    'expireChildren',
  ],
  always: [
    isCutShort,
    {
      guard: 'noLiveChildren',
      target: '#exhausting',
      actions: ['closeRound', 'announceStepFinish', 'announceFanIn'],
    },
  ],
  on: { ...unmoved, ...onCompletions() },
})
