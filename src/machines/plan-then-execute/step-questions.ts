/** The guards of `settling`: whose the report is that is being settled, and what it means for its step. */
import { isOutOfMeans } from '../contract/spent.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import { isBail } from '../loop/changes/predicates.ts'
import type { Report } from '../loop/changes/record.ts'
import type { Action, Review } from './questions.ts'
import { stepsOf, workOf, type Task } from './work.ts'

function reportOf(context: LoopContext): Report | undefined {
  return workOf(context).report?.report
}

function taskOf(context: LoopContext): Task | undefined {
  const { report, tasks } = workOf(context)
  return report === undefined ? undefined : tasks[report.child]
}

export function isCall(context: LoopContext): boolean {
  return taskOf(context)?.tool !== undefined
}

export function isStepDecision(context: LoopContext): boolean {
  return taskOf(context)?.asks === 'action'
}

export function bailsStep(context: LoopContext): boolean {
  const report = reportOf(context)
  return report !== undefined && isBail(report)
}

/** A bail out of work that failed ends the run too. */
export function bailsWithAnswer(context: LoopContext): boolean {
  const report = reportOf(context)
  return report !== undefined && isBail(report) && 'record' in report && report.record.error === undefined
}

/** The call of the step has succeeded. */
export function succeeds(context: LoopContext): boolean {
  const report = reportOf(context)
  if (report === undefined) return false
  if ('record' in report) return report.record.outcome === 'succeeded'
  return 'outcome' in report && report.outcome === 'succeeded'
}

/** A result is reviewed before others build on it where the user asks for that, and other steps are still to come. */
export function mustReview(context: LoopContext): boolean {
  const work = workOf(context)
  return (
    context.input.profile.reviewSteps &&
    work.problems.length === 0 &&
    stepsOf(work).some(({ status }) => status === 'pending')
  )
}

/** What the model chose for a step; `undefined` where it has not chosen. */
export function actionOf(context: LoopContext): Action | undefined {
  return valueOf(context) as Action | undefined
}

export function objectsToPlan(context: LoopContext): boolean {
  return Boolean((valueOf(context) as Review | undefined)?.replan)
}

export function isMade(context: LoopContext): boolean {
  const report = reportOf(context)
  return report !== undefined && 'decision' in report && report.decision === 'made'
}

/** The model cannot be asked any more: the budget is used up, or cannot be checked. */
export function lacksMeans(context: LoopContext): boolean {
  const report = reportOf(context)
  return report !== undefined && 'decision' in report && isOutOfMeans(report.error)
}

function valueOf(context: LoopContext): unknown {
  const report = reportOf(context)
  return isMade(context) && report !== undefined && 'decision' in report ? report.value : undefined
}
