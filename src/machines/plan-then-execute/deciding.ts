/** `deciding` and `concluding`: what follows when no step is under way any more, and whether there is an answer. */
import type { LoopContext } from '../loop/changes/context.ts'
import { unknownUsage } from '../contract/spent.ts'
import { planSetup } from './setup.ts'
import { workOf } from './work.ts'

const toSynthesis = ['closePlan', 'tellResults', 'announceSynthesis'] as const
const atBound = { type: 'end', params: { outcome: 'exhausted', reason: 'maxReplans' } } as const

const outOfBudget = { type: 'end', params: { outcome: 'exhausted', reason: 'budget' } } as const

export const deciding = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'deciding',
  initial: 'judging',
  states: {
    judging: {
      description: 'Is the plan carried out, and if not: may the rest be planned anew?',
      always: [
        {
          guard: 'lacksUsageForPlan',
          target: '#finishing',
          actions: { type: 'end', params: ({ context }) => unknownUsage(planError(context)) },
        },
        {
          guard: 'isOutOfBudgetMidway',
          target: '#exhausting',
          actions: ['closePlan', 'tellResults', outOfBudget],
        },
        { guard: 'isOutOfBudget', target: '#exhausting', actions: ['closePlan', outOfBudget] },
        { guard: 'isCarriedOut', target: '#thinking', actions: toSynthesis },
        { guard: 'mayReplan', target: '#replanning' },
        { guard: 'cannotPlan', target: 'failing' },
        { guard: 'hasRun', target: 'settlingForLess' },
        { target: 'failing' },
      ],
    },
    settlingForLess: {
      description:
        'The plan was made anew as often as it may be. There is something to tell: may it be told?',
      always: [
        { guard: 'stopsWhenExhausted', target: '#finishing', actions: atBound },
        { target: '#thinking', actions: [...toSynthesis, atBound] },
      ],
    },
    failing: {
      description: 'There is no plan, and nothing that was done.',
      always: {
        target: '#finishing',
        actions: { type: 'end', params: ({ context }) => ({ outcome: 'failed', error: planError(context) }) },
      },
    },
  },
})

export const concluding = /* @__PURE__ */ planSetup.createStateConfig({
  id: 'concluding',
  description: 'Is there an answer, or may the model be asked for it again?',
  always: [
    { guard: 'isAnswered', target: '#finishing' },
    {
      guard: 'wasCutOff',
      target: '#exhausting',
      actions: { type: 'end', params: { outcome: 'exhausted', reason: 'length' } },
    },
    {
      guard: 'isAtCap',
      target: '#exhausting',
      actions: { type: 'end', params: { outcome: 'exhausted', reason: 'maxSteps' } },
    },
    { target: '#thinking', actions: 'askForAnswer' },
  ],
})

function planError(context: LoopContext) {
  const { error, problems } = workOf(context)
  const message = `No plan could be carried out: ${problems.join('\n')}`
  return error ?? { name: 'InvalidPlanError', code: 'INVALID_PLAN', message }
}
