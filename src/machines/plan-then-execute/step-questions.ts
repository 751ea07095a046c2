/** What the guards of the planner ask of a report: whose it is, and what it means for its step. */
import type { LoopContext } from '../loop/changes/context.ts'
import { isBail, isDecision } from '../loop/changes/predicates.ts'
import type { Report } from '../loop/changes/record.ts'
import { isOutOfMeans } from '../contract/spent.ts'
import type { Action, Review } from './questions.ts'
import { stepsOf, workOf, type Task } from './work.ts'

export interface Reported {
  readonly child: string
  readonly report: Report
}

function taskOf(context: LoopContext, child: string): Task | undefined {
  return workOf(context).tasks[child]
}

export function isCall(context: LoopContext, child: string): boolean {
  return taskOf(context, child)?.tool !== undefined
}

export function isStepDecision(context: LoopContext, child: string): boolean {
  return taskOf(context, child)?.asks === 'action'
}

export function isReview(context: LoopContext, child: string): boolean {
  return taskOf(context, child)?.asks === 'review'
}

/** Bailing out of work that failed ends the run too. */
export function bailsWithAnswer(report: Report): boolean {
  return isBail(report) && 'record' in report && report.record.error === undefined
}

export function carriesOutStep(context: LoopContext, { child, report }: Reported): boolean {
  if (!isCall(context, child)) return false
  return 'record' in report ? report.record.outcome === 'succeeded' : isSuccess(report)
}

function isSuccess(report: Report): boolean {
  return 'outcome' in report && report.outcome === 'succeeded'
}

/** A result may be looked at before others build on it: where the user asks for that, and something is still to come. */
export function mustReview(context: LoopContext): boolean {
  const work = workOf(context)
  return (
    context.input.profile.reviewSteps &&
    work.problems.length === 0 &&
    stepsOf(work).some(({ status }) => status === 'pending')
  )
}

/** What the model would do for a step; `undefined` where it has not said so. */
export function actionOf(context: LoopContext, { child, report }: Reported): Action | undefined {
  return isStepDecision(context, child) ? (valueOf(report) as Action | undefined) : undefined
}

export function objectsToPlan(context: LoopContext, { child, report }: Reported): boolean {
  if (!isReview(context, child)) return false
  return Boolean((valueOf(report) as Review | undefined)?.replan)
}

export function lacksBudget(report: Report): boolean {
  return 'decision' in report && isOutOfMeans(report.error)
}

function valueOf(report: Report): unknown {
  return isDecision(report, 'made') && 'decision' in report ? report.value : undefined
}
