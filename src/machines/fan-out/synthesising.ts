/** `synthesising`: after a round, is the answer written, or are there other goals to work on first? */
import { asking } from '../loop/states/asking.ts'
import { assessment } from './goals.ts'
import { fanOutSetup, goalsTaken } from './setup.ts'

interface Targets {
  /** There is no step left in which the model could write the answer. */
  readonly capped: string
  readonly overBudget: string
  readonly usageUnknown: string
  /** The model wants other goals to be worked on. */
  readonly otherGoals: string
  readonly answers: string
}

export function synthesising(to: Targets) {
  return fanOutSetup.createStateConfig({
    description: 'Are the results of the round enough for the answer?',
    entry: 'announceSynthesisStart',
    initial: 'choosing',
    states: {
      choosing: {
        description: 'May another round follow?',
        always: [
          {
            guard: 'isAtCap',
            target: `#${to.capped}`,
            actions: { type: 'end', params: { outcome: 'exhausted', reason: 'maxSteps' } },
          },
          { guard: 'hasRoundLeft', target: 'assessing' },
          { target: 'answering' },
        ],
      },
      assessing: {
        description: 'The model judges the results. Without a judgement the answer is written all the same.',
        ...asking(
          { question: assessment, take: goalsTaken },
          {
            made: 'synthesising.assessed',
            overBudget: to.overBudget,
            usageUnknown: to.usageUnknown,
            goesOn: 'synthesising.answering',
          },
        ),
      },
      assessed: {
        always: [{ guard: 'hasOtherWork', target: `#${to.otherGoals}` }, { target: 'answering' }],
      },
      answering: { entry: 'askForSynthesis', always: `#${to.answers}` },
    },
  })
}
