/** `deciding`: what follows when no step is under way any more; and `concluding`: is there an answer? */
import type { LoopContext } from '../loop/changes/context.ts'
import { unknownUsage } from '../contract/spent.ts'
import { planSetup } from './setup.ts'
import { workOf } from './work.ts'

const atBound = { type: 'end', params: { outcome: 'exhausted', reason: 'maxReplans' } } as const
const outOfBudget = { type: 'end', params: { outcome: 'exhausted', reason: 'budget' } } as const

interface Targets {
  /** The answer is made of the results. */
  readonly carriedOut: string
  readonly replans: string
  /** No other plan may be made. The answer is made of the results that there are. */
  readonly forLess: string
  readonly overBudget: string
  /** There is no answer to be made. */
  readonly ended: string
}

export function deciding(to: Targets) {
  const ended = `#${to.ended}` as const
  return planSetup.createStateConfig({
    initial: 'judging',
    states: {
      judging: {
        description: 'Is the plan carried out, and if not: may the rest be planned anew?',
        always: [
          {
            guard: 'lacksUsageForPlan',
            target: ended,
            actions: { type: 'end', params: ({ context }) => unknownUsage(planError(context)) },
          },
          {
            guard: 'isOutOfBudgetMidway',
            target: `#${to.overBudget}`,
            actions: ['closePlan', 'tellResults', outOfBudget],
          },
          { guard: 'isOutOfBudget', target: `#${to.overBudget}`, actions: ['closePlan', outOfBudget] },
          {
            guard: 'isCarriedOut',
            target: `#${to.carriedOut}`,
            actions: ['closePlan', 'tellResults', 'announceSynthesis'],
          },
          { guard: 'mayReplan', target: `#${to.replans}` },
          { guard: 'cannotPlan', target: 'failing' },
          { guard: 'hasRun', target: 'settlingForLess' },
          { target: 'failing' },
        ],
      },
      settlingForLess: {
        description: 'No other plan may be made, and there are results: may the model answer from them?',
        always: [
          { guard: 'stopsWhenExhausted', target: ended, actions: atBound },
          {
            target: `#${to.forLess}`,
            actions: ['closePlan', 'tellResults', 'announceSynthesis', atBound],
          },
        ],
      },
      failing: {
        description: 'There is no plan, and no result.',
        always: {
          target: ended,
          actions: {
            type: 'end',
            params: ({ context }) => ({ outcome: 'failed', error: planError(context) }),
          },
        },
      },
    },
  })
}

interface ConcludingTargets {
  readonly answered: string
  readonly exhausted: string
  /** The model is asked for an answer again. */
  readonly empty: string
}

export function concluding(to: ConcludingTargets) {
  return planSetup.createStateConfig({
    description: 'Is there an answer, or may the model be asked for it again?',
    always: [
      { guard: 'isAnswered', target: `#${to.answered}` },
      { guard: 'mustStop', target: `#${to.exhausted}`, actions: 'exhaust' },
      { target: `#${to.empty}`, actions: 'askForAnswer' },
    ],
  })
}

function planError(context: LoopContext) {
  const { error, problems } = workOf(context)
  const message = `No plan could be carried out: ${problems.join('\n')}`
  return error ?? { name: 'InvalidPlanError', code: 'INVALID_PLAN', message }
}
