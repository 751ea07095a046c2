/** `reviewing` and `scoring`: between a step and the decision whether it was the last. */
import { Derived } from '../../../actors/values/derived.ts'
import { answerOf } from '../../shared/params.ts'
import { arrow, optionalArrow } from '../../shared/arrow.ts'
import type { LoopContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { announceFailure, endAndAnnounceFailure } from './failing.ts'
import { screens } from './screening.ts'
import { profileHook } from '../../shared/hook.ts'

const review = answerOf('onIterationComplete')
const stopped = {
  type: 'end',
  params: { outcome: 'stopped', reason: 'onIterationComplete' },
} as const
const feedback = [
  { type: 'addFeedback', params: review },
  { type: 'announceFeedback', params: review },
] as const

interface ReviewTargets {
  /** The iteration is not scored, or the reviewer objects to it. */
  readonly passed: string
  /** The iteration is scored. */
  readonly scores: string
  /** The reviewer ends the run, or failed. */
  readonly ends: string
  /** The reviewer ends the run, and its feedback is answered first. */
  readonly lastWord: string
}

export function reviewing(to: ReviewTargets) {
  return loopSetup.createStateConfig({
    description: 'A user hook reviews the iteration before it is scored.',
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Is there a hook to review the iteration?',
        always: [{ guard: 'hasReviewHook', target: 'askingReviewer' }, { target: 'reviewed' }],
      },
      askingReviewer: {
        description: 'onIterationComplete may object, or end the run.',
        invoke: {
          ...profileHook('onIterationComplete', (context: LoopContext) => ({
            iteration: context.step,
            maxSteps: context.input.maxSteps,
            task: context.input.task,
            messages: context.messages,
            steps: context.ledger.steps,
            subAgentsInvoked: [...new Set(context.ledger.delegations.toArray().map(({ agent }) => agent))],
            ...(context.input.threadId === undefined ? {} : { threadId: context.input.threadId }),
            ...(context.input.resourceId === undefined ? {} : { resourceId: context.input.resourceId }),
            loop: new Derived(context),
          })),
          onDone: [
            {
              guard: { type: 'endsRunWithFeedback', params: review },
              target: `#${to.lastWord}`,
              actions: [...feedback, stopped],
            },
            { guard: { type: 'endsRun', params: review }, target: `#${to.ends}`, actions: stopped },
            {
              guard: { type: 'hasObjection', params: review },
              target: `#${to.passed}`,
              actions: [{ type: 'recordReview', params: review }, ...feedback],
            },
            { target: 'reviewed' },
          ],
          onError: [
            { guard: 'ignoresHookErrors', target: 'reviewed', actions: announceFailure },
            { target: `#${to.ends}`, actions: endAndAnnounceFailure },
          ],
        },
      },
      reviewed: {
        description: 'The hook has no objection, or there is no hook.',
        always: [{ guard: 'mustScore', target: `#${to.scores}` }, { target: `#${to.passed}` }],
      },
    },
  })
}

interface ScoringTargets {
  /** The scorers accept the result of a step as the answer. */
  readonly passedOnResult?: string
  /** As `passedOnResult`, where the answer is written in a model call of its own. */
  readonly writes?: string
  /** The scorers accept the answer. */
  readonly passed: string
  /** The scorers accept the work, and the model has not given an answer. */
  readonly lacksAnswer: string
  /** The scorers do not accept it, or notices from the background must be read first. */
  readonly unmet: string
  /** The scorers do not accept it, and the user ends the run then (`continueOnFail: false`). */
  readonly unmetAtEnd: string
  /** The state in which messages of people are checked, for a pattern that takes them: one that is refused costs no step. */
  readonly screening?: object
}

export function scoring(to: ScoringTargets) {
  const unaccepted = arrow('isScored', to.unmet)
  const judged = [
    ...optionalArrow('isScoredOnResult', to.passedOnResult, {
      type: 'end',
      params: { outcome: 'completed' },
    } as const),
    ...optionalArrow('isScoredToWrite', to.writes),
    arrow('isScoredComplete', to.passed, { type: 'end', params: { outcome: 'completed' } } as const),
    arrow('isScoredWithoutAnswer', to.lacksAnswer, [
      'askForFinalAnswer',
      { type: 'end', params: { outcome: 'completed' } },
    ] as const),
    arrow('endsUnmet', to.unmetAtEnd, {
      type: 'end',
      params: { outcome: 'exhausted', reason: 'completion' },
    } as const),
  ]
  const described = {
    description: 'Scorers judge whether the task is complete.',
    entry: 'startScoring',
  } as const
  if (to.screening === undefined) {
    return loopSetup.createStateConfig({ ...described, always: [...judged, unaccepted] })
  }
  return loopSetup.createStateConfig({
    ...described,
    initial: 'working',
    states: {
      working: { always: { guard: 'isScored', target: 'judging' } },
      judging: {
        description: 'Is the work accepted, and is there a message of a person to check?',
        always: [...judged, ...screens(to.screening), unaccepted],
      },
      screening: to.screening,
    },
  })
}
