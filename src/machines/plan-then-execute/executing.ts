/**
 * `executing` and `bailing`: steps run as soon as what they need is there, side by side within the window. A step is
 * decided on where the plan does not say all, carried out by a call, and looked at where the user asks for that.
 */
import { onHeld, onReports } from '../loop/states/acting.ts'
import { expiresAll, unmoved } from '../loop/states/expiring.ts'
import { childOf, crashOf, problemOf, reportOf } from '../loop/child-events.ts'
import { failure } from '../shared/params.ts'
import {
  answerOf,
  calledOf,
  crashedDecisionOf,
  dueReviewOf,
  objectionOf,
  undecidedOf,
  wantedCallOf,
} from './reports.ts'
import { planSetup } from './setup.ts'

const recorded = { type: 'recordReport', params: reportOf } as const
const crashed = { type: 'recordCrash', params: crashOf } as const
const called = [
  recorded,
  { type: 'moveToolState', params: calledOf },
  { type: 'recordResult', params: childOf },
] as const
const completed = { type: 'completeStep', params: childOf } as const
const mustReview = { type: 'setDue', params: dueReviewOf } as const
const released = [
  { type: 'releaseTask', params: childOf },
  { type: 'reap', params: childOf },
] as const

/** The tool or the subagent of a step has its outcome. */
const callEnds = <const Target extends string>(target: Target) =>
  planSetup.createStateConfig({
    on: {
      'xstate.done.actor.*': [
        {
          guard: { type: 'bailsWithAnswer', params: reportOf },
          target: '#bailing',
          actions: [...called, completed, ...released],
        },
        {
          guard: { type: 'bailsStep', params: reportOf },
          target: '#bailing',
          actions: [...called, { type: 'failCall', params: childOf }, ...released],
        },
        {
          guard: { type: 'carriesOutStepToReview', params: reportOf },
          target,
          actions: [...called, mustReview, ...released],
        },
        {
          guard: { type: 'carriesOutStep', params: reportOf },
          target,
          actions: [...called, completed, ...released],
        },
        {
          guard: { type: 'isCall', params: childOf },
          target,
          actions: [...called, { type: 'failCall', params: childOf }, ...released],
        },
      ],
      'xstate.error.actor.*': [
        {
          guard: { type: 'isCall', params: childOf },
          target,
          actions: [
            crashed,
            { type: 'recordResult', params: childOf },
            { type: 'failCall', params: childOf },
            ...released,
          ],
        },
      ],
    },
  }).on

/** The model has said what to do for a step, or has not. */
const stepIsDecided = <const Target extends string>(target: Target) =>
  planSetup.createStateConfig({
    on: {
      'xstate.done.actor.*': [
        {
          guard: { type: 'seesNoSense', params: reportOf },
          target,
          actions: [recorded, { type: 'skipStep', params: objectionOf }, ...released],
        },
        {
          guard: { type: 'wantsCall', params: reportOf },
          target,
          actions: [recorded, { type: 'setDue', params: wantedCallOf }, ...released],
        },
        {
          guard: { type: 'answersStepToReview', params: reportOf },
          target,
          actions: [recorded, { type: 'recordAnswer', params: answerOf }, mustReview, ...released],
        },
        {
          guard: { type: 'answersStep', params: reportOf },
          target,
          actions: [recorded, { type: 'recordAnswer', params: answerOf }, completed, ...released],
        },
        {
          guard: { type: 'lacksBudgetForStep', params: reportOf },
          target,
          actions: [
            recorded,
            { type: 'failDecision', params: undecidedOf },
            { type: 'recordOutage', params: problemOf },
            ...released,
          ],
        },
        {
          guard: { type: 'isStepDecision', params: childOf },
          target,
          actions: [recorded, { type: 'failDecision', params: undecidedOf }, ...released],
        },
      ],
      'xstate.error.actor.*': [
        {
          guard: { type: 'isStepDecision', params: childOf },
          target,
          actions: [crashed, { type: 'failDecision', params: crashedDecisionOf }, ...released],
        },
      ],
    },
  }).on

/** What a step gave was looked at. A review that could not be made is announced, and objects to nothing. */
const stepIsReviewed = <const Target extends string>(target: Target) =>
  planSetup.createStateConfig({
    on: {
      'xstate.done.actor.*': [
        {
          guard: { type: 'objectsToPlan', params: reportOf },
          target,
          actions: [recorded, completed, { type: 'objectToPlan', params: objectionOf }, ...released],
        },
        {
          guard: { type: 'lacksBudgetForReview', params: reportOf },
          target,
          actions: [
            recorded,
            completed,
            { type: 'recordOutage', params: problemOf },
            { type: 'announceError', params: problemOf },
            ...released,
          ],
        },
        {
          guard: { type: 'isMade', params: reportOf },
          target,
          actions: [recorded, completed, ...released],
        },
        {
          guard: { type: 'isReview', params: childOf },
          target,
          actions: [recorded, completed, { type: 'announceError', params: problemOf }, ...released],
        },
      ],
      'xstate.error.actor.*': [
        {
          guard: { type: 'isReview', params: childOf },
          target,
          actions: [crashed, completed, { type: 'announceError', params: failure }, ...released],
        },
      ],
    },
  }).on

/** What a child of a step ends with; then `target`. */
function stepReports<const Target extends string>(target: Target) {
  const [calls, decisions, reviews] = [callEnds(target), stepIsDecided(target), stepIsReviewed(target)]
  return {
    'xstate.done.actor.*': [
      ...calls['xstate.done.actor.*'],
      ...decisions['xstate.done.actor.*'],
      ...reviews['xstate.done.actor.*'],
    ],
    'xstate.error.actor.*': [
      ...calls['xstate.error.actor.*'],
      ...decisions['xstate.error.actor.*'],
      ...reviews['xstate.error.actor.*'],
    ],
  } as const
}

export const executing = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'executing',
  description: 'The steps of the plan. Once one has failed or changed the plan, no other begins.',
  initial: 'dispatching',
  on: {
    ...stepReports('.dispatching'),
    ...onHeld('.dispatching'),
  },
  states: {
    dispatching: {
      description: 'May a step begin or go on, or is there one to wait for?',
      always: [{ guard: 'isUnderWay', target: 'collecting', actions: 'startSteps' }, { target: '#deciding' }],
    },
    collecting: { always: { guard: 'onlyHeldLeft', target: 'held' } },
    held: {
      description: 'Only steps that wait for a person are left.',
      entry: 'announceHeld',
      exit: 'announceReleased',
    },
  },
})

export const bailing = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'bailing',
  description:
    "A subagent's answer is the run's answer. The others are told, and report before the run ends.",
  entry: { type: 'cancelChildren', params: { cause: 'bail', reason: 'Another agent bailed.' } },
  always: {
    guard: 'noLiveChildren',
    target: '#finishing',
    actions: { type: 'end', params: { outcome: 'bailed' } },
  },
  on: { cancel: {}, ...unmoved, ...onReports() },
})

const expired = /* @__PURE__ */ stepReports('.judging')

export const expiring = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'expiring',
  description: 'The time of the run is up: steps at work were told and report, and no other begins.',
  entry: [...expiresAll],
  initial: 'judging',
  on: {
    ...unmoved,
    'xstate.done.actor.*': [
      {
        guard: { type: 'isOfNoStep', params: childOf },
        target: '.judging',
        actions: [recorded, { type: 'reap', params: childOf }],
      },
      ...expired['xstate.done.actor.*'],
    ],
    'xstate.error.actor.*': [
      ...expired['xstate.error.actor.*'],
      { target: '.judging', actions: [crashed, { type: 'reap', params: childOf }] },
    ],
  },
  states: {
    judging: {
      always: [
        { guard: 'hasOpenStep', target: '#exhausting', actions: ['recordStep', 'announceStepFinish'] },
        { guard: 'isOverMidway', target: '#exhausting', actions: ['closePlan', 'tellResults'] },
        { guard: 'noLiveChildren', target: '#exhausting', actions: 'closePlan' },
      ],
    },
  },
})
