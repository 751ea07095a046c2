/** Predicates on the report that is being settled, for the guards of `settling`. */
import { forbidsModelCalls } from '../contract/spent.ts'
import { isBail } from '../loop/changes/predicates.ts'
import type { Report } from '../contract/reports.ts'
import type { Action, Review } from './prompts.ts'
import { stepsOf, type Task, type PlanContext } from './work.ts'

function reportOf(context: PlanContext): Report | undefined {
  return context.work.report?.report
}

function taskOf(context: PlanContext): Task | undefined {
  const { report, tasks } = context.work
  return report === undefined ? undefined : tasks[report.child]
}

export function isCall(context: PlanContext): boolean {
  return taskOf(context)?.tool !== undefined
}

export function isStepDecision(context: PlanContext): boolean {
  return taskOf(context)?.asks === 'action'
}

export function bailsStep(context: PlanContext): boolean {
  const report = reportOf(context)
  return report !== undefined && isBail(report)
}

/** A bail with an answer. A bail of a delegation that failed ends the run too, without one. */
export function bailsWithAnswer(context: PlanContext): boolean {
  const report = reportOf(context)
  return (
    report !== undefined &&
    isBail(report) &&
    report.kind === 'delegation' &&
    report.record.error === undefined
  )
}

/** The call of the step has succeeded. */
export function succeeds(context: PlanContext): boolean {
  const report = reportOf(context)
  if (report === undefined) return false
  if (report.kind === 'delegation') return report.record.outcome === 'succeeded'
  return report.kind === 'tool' && report.outcome === 'succeeded'
}

/** A result is reviewed before others build on it, if the user asks for that and other steps are still to come. */
export function mustReview(context: PlanContext): boolean {
  const work = context.work
  return (
    context.input.profile.reviewSteps &&
    work.problems.length === 0 &&
    stepsOf(work).some(({ status }) => status === 'pending')
  )
}

/** The action that the model chose for a step; `undefined`: none. */
export function actionOf(context: PlanContext): Action | undefined {
  return valueOf(context) as Action | undefined
}

export function objectsToPlan(context: PlanContext): boolean {
  return Boolean((valueOf(context) as Review | undefined)?.replan)
}

export function isDecisionMade(context: PlanContext): boolean {
  const report = reportOf(context)
  return report !== undefined && report.kind === 'decision' && report.decision === 'made'
}

/** The model cannot be called any more: the budget is used up, or cannot be checked. */
export function cannotCallModel(context: PlanContext): boolean {
  const report = reportOf(context)
  return report !== undefined && report.kind === 'decision' && forbidsModelCalls(report.error)
}

function valueOf(context: PlanContext): unknown {
  const report = reportOf(context)
  return isDecisionMade(context) && report !== undefined && report.kind === 'decision'
    ? report.value
    : undefined
}
