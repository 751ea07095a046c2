/** Parameters of guards and actions, read from the report of a step's child that is being settled. */
import type { ErrorData } from '../../errors.ts'
import type { DecisionOutput } from '../contract/reports.ts'
import type { Called } from '../loop/changes/tool-state.ts'
import { judged } from '../decision/parse-decision.ts'
import { chosenCall, type Action, type Review } from './prompts.ts'
import type { Due, PlanContext, StepReport } from './work.ts'

interface Settling {
  readonly context: PlanContext
}

/** The arrows of `settling` are taken only where there is a report. */
const reportedOf = ({ context }: Settling): StepReport => context.work.report as StepReport

export const childOf = ({ context }: Settling) => ({ child: reportedOf({ context }).child })

/** The call that was reported. */
export const calledOf = ({ context }: Settling): Called => {
  const { child } = reportedOf({ context })
  return { child, name: context.work.tasks[child]?.tool ?? '' }
}

const valueOf = ({ context }: Settling) => (reportedOf({ context }).report as DecisionOutput).value ?? null

const actionOf = ({ context }: Settling) => valueOf({ context }) as Action

/** The call that the model chose for a step. */
export const chosenCallOf = ({ context }: Settling): { child: string; due: Due } => {
  const { verdicts } = reportedOf({ context }).report as DecisionOutput
  const { id: _id, ...call } = judged(chosenCall(actionOf({ context })), verdicts)
  return { ...childOf({ context }), due: { type: 'call', ...call } }
}

export const answerOf = ({ context }: Settling) => ({
  ...childOf({ context }),
  answer: actionOf({ context }).answer ?? '',
})

/** The model's reason to skip a step, or to revise the rest of the plan. */
export const objectionOf = ({ context }: Settling) => ({
  ...childOf({ context }),
  why: (valueOf({ context }) as Review).replan ?? '',
})

/** The error of a decision that was not made. */
export const problemOf = ({ context }: Settling): ErrorData =>
  (reportedOf({ context }).report as DecisionOutput).error ?? {
    name: 'CancelledError',
    code: 'CANCELLED',
    message: 'The decision was cancelled.',
  }

export const undecidedOf = ({ context }: Settling) => ({
  ...childOf({ context }),
  error: problemOf({ context }),
})
