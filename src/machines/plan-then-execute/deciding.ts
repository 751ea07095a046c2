/** `deciding`: the decision when no step is under way any more; and `concluding`: is there an answer? */

import { unknownUsage } from '../contract/spent.ts'
import { planSetup } from './setup.ts'
import type { PlanContext } from './work.ts'

const atBound = { type: 'end', params: { outcome: 'exhausted', reason: 'maxReplans' } } as const
const outOfBudget = { type: 'end', params: { outcome: 'exhausted', reason: 'budget' } } as const

interface Targets {
  /** The answer is made of the results. */
  readonly carriedOut: string
  readonly replans: string
  /** No other plan may be made. The answer is made of the results that there are. */
  readonly partial: string
  readonly overBudget: string
  /** There is no answer to be made. */
  readonly ended: string
}

export function deciding(to: Targets) {
  const ended = `#${to.ended}` as const
  return planSetup.createStateConfig({
    description: 'No step is under way. Is the plan carried out, or may the rest be planned again?',
    initial: 'judging',
    states: {
      judging: {
        description: 'Is the plan carried out, and if not: may the rest be planned again?',
        always: [
          {
            guard: 'lacksUsageForPlan',
            target: ended,
            actions: { type: 'end', params: ({ context }) => unknownUsage(planError(context)) },
          },
          {
            guard: 'isOutOfBudget',
            target: `#${to.overBudget}`,
            actions: ['concludePlan', outOfBudget],
          },
          {
            guard: 'isCarriedOut',
            target: `#${to.carriedOut}`,
            actions: ['concludePlan', 'announceSynthesis'],
          },
          { guard: 'mayReplan', target: `#${to.replans}` },
          { guard: 'hasPartialResults', target: 'atReplanCap' },
          { target: 'failing' },
        ],
      },
      atReplanCap: {
        description: 'No other plan is allowed, and there are results. May the model answer from them?',
        always: [
          { guard: 'stopsWhenExhausted', target: ended, actions: atBound },
          {
            target: `#${to.partial}`,
            actions: ['concludePlan', 'announceSynthesis', atBound],
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
      { guard: 'isAtLimit', target: `#${to.exhausted}`, actions: 'exhaust' },
      { target: `#${to.empty}`, actions: 'askForAnswer' },
    ],
  })
}

function planError(context: PlanContext) {
  const { error, problems } = context.work
  const message = `No plan could be carried out: ${problems.join('\n')}`
  return error ?? { name: 'InvalidPlanError', code: 'INVALID_PLAN', message }
}
