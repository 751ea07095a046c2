/** `reviewing`, `scoring` and `bailing`: what stands between a step and the decision in a supervised loop. */
import { answerOf, failure } from '../../shared/params.ts'
import { onLastReports, onReports, reportedInBackground } from './acting.ts'
import { spentInIteration, unmoved } from './expiring.ts'
import { loopSetup } from '../setup.ts'

const review = answerOf('onIterationComplete')

export const reviewing = /* @__PURE__ */ loopSetup.createStateConfig({
  id: 'reviewing',
  description: 'The user looks at the iteration before it is scored.',
  on: spentInIteration,
  initial: 'choosing',
  states: {
    choosing: {
      always: [{ guard: 'hasReviewHook', target: 'askingReviewer' }, { target: 'reviewed' }],
    },
    askingReviewer: {
      invoke: {
        src: 'hook',
        id: 'hook:onIterationComplete',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'onIterationComplete',
          scope: context.input.profile.hooks.onIterationComplete ?? 'agent',
          timeout: context.input.profile.hookTimeout,
          data: {
            iteration: context.step,
            maxSteps: context.input.maxSteps,
            task: context.input.task,
            messages: context.messages,
            steps: context.ledger.steps,
            subAgentsInvoked: [...new Set(context.ledger.delegations.toArray().map(({ agent }) => agent))],
            ...(context.input.threadId === undefined ? {} : { threadId: context.input.threadId }),
            ...(context.input.resourceId === undefined ? {} : { resourceId: context.input.resourceId }),
          },
        }),
        onDone: [
          {
            guard: { type: 'endsWithFeedback', params: review },
            target: '#finalTurn',
            actions: [
              { type: 'addFeedback', params: review },
              { type: 'announceFeedback', params: review },
              { type: 'end', params: { outcome: 'stopped', reason: 'onIterationComplete' } },
              { type: 'announceIterationEnd', params: { continue: false } },
            ],
          },
          {
            guard: { type: 'endsHere', params: review },
            target: '#finishing',
            actions: [
              { type: 'end', params: { outcome: 'stopped', reason: 'onIterationComplete' } },
              { type: 'announceIterationEnd', params: { continue: false } },
            ],
          },
          {
            guard: { type: 'objects', params: review },
            target: '#deciding',
            actions: [
              { type: 'recordReview', params: review },
              { type: 'addFeedback', params: review },
              { type: 'announceFeedback', params: review },
            ],
          },
          { target: 'reviewed' },
        ],
        onError: [
          {
            guard: 'ignoresHookErrors',
            target: 'reviewed',
            actions: { type: 'announceError', params: failure },
          },
          {
            target: '#finishing',
            actions: [
              { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
              { type: 'announceError', params: failure },
              { type: 'announceIterationEnd', params: { continue: false } },
            ],
          },
        ],
      },
    },
    reviewed: {
      description: 'The user has no objection, or no hook.',
      always: [{ guard: 'mustScore', target: '#scoring' }, { target: '#deciding' }],
    },
  },
})

const inBackground = reportedInBackground()
const scored = onReports('#deciding')

export const scoring = /* @__PURE__ */ loopSetup.createStateConfig({
  id: 'scoring',
  entry: 'startScoring',
  on: { ...spentInIteration, ...scored },
})

/** `scoring` where delegations may be at work that no step waits for. */
export const scoringInBackground = /* @__PURE__ */ loopSetup.createStateConfig({
  ...scoring,
  on: {
    ...spentInIteration,
    'xstate.done.actor.*': [...inBackground['xstate.done.actor.*'], scored['xstate.done.actor.*']],
    'xstate.error.actor.*': [...inBackground['xstate.error.actor.*'], scored['xstate.error.actor.*']],
  },
})

export const bailing = /* @__PURE__ */ loopSetup.createStateConfig({
  id: 'bailing',
  description: "An agent's answer is the run's answer. The others are told, and report before the run ends.",
  entry: { type: 'cancelChildren', params: { cause: 'bail', reason: 'Another agent bailed.' } },
  always: [
    {
      guard: 'hasOpenStep',
      target: '#finishing',
      actions: [
        'recordStep',
        'announceStepFinish',
        { type: 'end', params: { outcome: 'bailed' } },
        { type: 'announceIterationEnd', params: { continue: false } },
      ],
    },
    {
      guard: 'noLiveChildren',
      target: '#finishing',
      actions: [
        { type: 'end', params: { outcome: 'bailed' } },
        { type: 'announceIterationEnd', params: { continue: false } },
      ],
    },
  ],
  on: { cancel: {}, ...unmoved, ...onLastReports() },
})
