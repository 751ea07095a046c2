/** `asking`: the model of the agent makes one decision. Its report is recorded at the root of the chart. */
import { atLimit } from '../../contract/spent.ts'
import { arrow, optionalArrow } from '../../shared/arrow.ts'
import type { InContext, LoopContext } from '../changes/context.ts'
import { problemOf, type Question } from '../changes/decision-input.ts'
import { failedWith } from './failing.ts'

interface Decision<Context, Take, TakeNone> {
  readonly question: (context: Context) => Question
  /** Actions that apply the decision. */
  readonly take: Take
  /** Actions for an agent that goes on without it. */
  readonly takeNone?: TakeNone
}

interface Targets {
  readonly made: string
  /** The budget is used up. */
  readonly overBudget?: string
  /** The budget cannot be checked: the agent ends. */
  readonly usageUnknown?: string
  /** Without the decision the agent fails. */
  readonly lost?: string
  /** Without the decision the agent goes on. */
  readonly goesOn?: string
}

const announceProblem = { type: 'announceError', params: problemOf } as const
const endWithProblem = {
  type: 'end',
  params: ({ context }: InContext) => failedWith(problemOf({ context })),
} as const
const endAtLimit = {
  type: 'end',
  params: ({ context }: InContext) => atLimit(problemOf({ context })),
} as const

export function asking<Context extends LoopContext, const Take, const TakeNone = typeof announceProblem>(
  { question, take, takeNone }: Decision<Context, Take, TakeNone>,
  to: Targets,
) {
  return {
    entry: {
      type: 'startDecision',
      params: ({ context }: { readonly context: Context }) => question(context),
    },
    always: [
      arrow('isDecided', to.made, take),
      ...optionalArrow('decisionIsOverBudget', to.overBudget, [announceProblem, endAtLimit] as const),
      ...optionalArrow('decisionLacksUsage', to.usageUnknown, [endWithProblem, announceProblem] as const),
      ...optionalArrow('hasFailedToDecide', to.lost, [endWithProblem, announceProblem] as const),
      ...optionalArrow('hasFailedToDecide', to.goesOn, takeNone ?? announceProblem),
    ],
  } as const
}
