/** The state in which a routing agent chooses: without its model where there is one candidate, else by one decision. */
import { optionalArrow } from '../shared/arrow.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { valueOf, verdictsOf } from '../loop/changes/decision-input.ts'
import { taskOf } from '../loop/changes/task.ts'
import { asking } from '../loop/states/asking.ts'
import { notifying } from '../loop/states/notifying.ts'
import { noUsage } from '../../actors/usage.ts'
import { candidatesOf, routingQuestion, type Mode } from './prompt.ts'
import type { Choice } from './record.ts'
import type { RoutingDecision } from './routing-decision.ts'
import { selectionSetup } from './setup.ts'

interface Targets {
  readonly chosen: string
  /** Nothing was chosen: the decision is the answer. */
  readonly answered?: string
  /** As `answered`, where the answer is written in a model call of its own. */
  readonly writes?: string
  /** There is nothing to choose from. */
  readonly none?: string
  readonly overBudget: string
  /** The model has not chosen. */
  readonly lost: string
}

const noCandidates = {
  name: 'NoCandidatesError',
  code: 'NO_CANDIDATES',
  message: 'There is no agent, workflow or tool to choose from.',
}

export function selecting(mode: Mode, to: Targets) {
  const choice = ({ context }: { readonly context: LoopContext }) => choiceOf(context, mode)
  const announce = { type: 'announceDecision', params: choice } as const
  const decision = asking(
    {
      question: (context: LoopContext) => routingQuestion(context, mode),
      take: [announce, { type: 'takeDecision', params: choice }, 'announceMessage'],
    },
    { made: 'decided', overBudget: to.overBudget, lost: to.lost },
  )
  return selectionSetup.createStateConfig({
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Is there anything to choose?',
        always: [
          ...optionalArrow('hasNoCandidate', to.none, {
            type: 'end',
            params: { outcome: 'failed', error: noCandidates },
          } as const),
          {
            guard: 'hasOnlyCandidate',
            target: 'decided',
            actions: ['announceOnlyChoice', 'takeOnlyChoice'],
          },
          { target: 'asking' },
        ],
      },
      asking: {
        description: 'The model chooses among the candidates.',
        entry: decision.entry,
        always: [...optionalArrow('mustWriteAnswer', to.writes, announce), ...decision.always],
      },
      decided: {
        id: 'decided',
        description: 'A candidate is chosen, and recorded as a step.',
        always: [{ guard: 'hasStepHook', target: 'notifying' }, { target: 'leaving' }],
      },
      notifying: notifying('leaving'),
      leaving: {
        description: 'Does a primitive work on the task next, or is it done?',
        always: [...optionalArrow('choseNothing', to.answered, 'closeStep'), { target: `#${to.chosen}` }],
      },
    },
  })
}

/** The choice of the model. A dispatcher gives an agent the task unchanged. */
function choiceOf(context: LoopContext, mode: Mode): Choice {
  const decision = valueOf({ context }).value as object as RoutingDecision
  const handsOver = mode === 'dispatcher'
  return {
    decision:
      handsOver && decision.primitiveType === 'agent' ? { ...decision, prompt: taskOf(context) } : decision,
    candidates: candidatesOf(context, mode),
    criterion: 'model',
    handsOver,
    usage: context.verdict.decision?.usage ?? noUsage,
    verdicts: verdictsOf(context),
  }
}
