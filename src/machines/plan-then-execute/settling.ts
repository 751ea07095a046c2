/** `settling`: a child of a step has reported, and its step goes on or ends. */
import {
  answerOf,
  calledOf,
  childOf,
  objectionOf,
  problemOf,
  undecidedOf,
  chosenCallOf,
} from './step-reports.ts'
import { planSetup } from './setup.ts'

interface Targets {
  /** The report is on record, and other steps may begin. */
  readonly settled: string
  /** A subagent has bailed. */
  readonly bailed: string
}

const called = [
  { type: 'moveToolState', params: calledOf },
  { type: 'recordResult', params: childOf },
] as const
const completed = { type: 'completeStep', params: childOf } as const
const mustReview = {
  type: 'setDue',
  params: ({ context }: Parameters<typeof childOf>[0]) => ({
    ...childOf({ context }),
    due: { type: 'review' as const },
  }),
} as const
const failed = { type: 'failCall', params: childOf } as const
const undecided = { type: 'failDecision', params: undecidedOf } as const
const outage = { type: 'recordOutage', params: problemOf } as const
const announceProblem = { type: 'announceError', params: problemOf } as const

export function settling(to: Targets) {
  const bailed = `#${to.bailed}` as const
  return planSetup.createStateConfig({
    description: 'A child of a step has reported. Does the step go on, or end?',
    initial: 'sorting',
    states: {
      sorting: {
        always: [
          { guard: 'isCall', target: 'called' },
          { guard: 'isStepDecision', target: 'decided' },
          { target: 'reviewed' },
        ],
      },
      called: {
        description: 'The tool or the subagent of the step has its outcome.',
        always: [
          { guard: 'bailsWithAnswer', target: bailed, actions: [...called, completed, 'releaseTask'] },
          { guard: 'bailsStep', target: bailed, actions: [...called, failed, 'releaseTask'] },
          { guard: 'succeedsToReview', target: 'settled', actions: [...called, mustReview] },
          { guard: 'succeeds', target: 'settled', actions: [...called, completed] },
          { target: 'settled', actions: [...called, failed] },
        ],
      },
      decided: {
        description: 'The model has decided how to carry out the step, or failed to.',
        always: [
          { guard: 'skipsStep', target: 'settled', actions: { type: 'skipStep', params: objectionOf } },
          { guard: 'choosesCall', target: 'settled', actions: { type: 'setDue', params: chosenCallOf } },
          {
            guard: 'answersStepToReview',
            target: 'settled',
            actions: [{ type: 'recordAnswer', params: answerOf }, mustReview],
          },
          {
            guard: 'answersStep',
            target: 'settled',
            actions: [{ type: 'recordAnswer', params: answerOf }, completed],
          },
          { guard: 'cannotCallModel', target: 'settled', actions: [undecided, outage] },
          { target: 'settled', actions: undecided },
        ],
      },
      reviewed: {
        description:
          'The model has reviewed the result. A review that failed is announced, and changes nothing.',
        always: [
          {
            guard: 'objectsToPlan',
            target: 'settled',
            actions: [completed, { type: 'objectToPlan', params: objectionOf }],
          },
          { guard: 'cannotCallModel', target: 'settled', actions: [completed, outage, announceProblem] },
          { guard: 'isDecisionMade', target: 'settled', actions: completed },
          { target: 'settled', actions: [completed, announceProblem] },
        ],
      },
      settled: { entry: 'releaseTask', always: `#${to.settled}` },
    },
  })
}
