/** What becomes of a step when a child reports, as pure functions: it goes on, is complete, skipped or has failed. */
import { below } from '../../actors/actor-path.ts'
import type { ErrorData } from '../../errors.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import { settledCall, type LoopContext } from '../loop/changes/context.ts'
import { feedbackMessage, recordReport, type Report } from '../loop/changes/record.ts'
import type { PlanStep } from '../contract/plan.ts'
import { stepsOf, workOf, type Due, type PlanWork } from './work.ts'

type Change = Partial<LoopContext>

/** A step of which no more is to come, and how that is told. */
export interface Settlement {
  readonly work: PlanWork
  readonly events: readonly MachineEvent[]
}

/** A report is on record. That of a step's child is settled next. */
export function recordStepReport(context: LoopContext, child: string, report: Report): Change {
  const change = recordReport(context, child, report)
  const work = workOf(context)
  return work.tasks[child] === undefined
    ? change
    : { ...change, work: { ...work, report: { child, report } } }
}

/** The report is settled: the child has no task any more. */
export function releaseTask(context: LoopContext): PlanWork {
  const { report, ...work } = workOf(context)
  const { [report?.child ?? '']: _ended, ...tasks } = work.tasks
  return { ...work, tasks, report: undefined }
}

/** The tool or the subagent of a step has its outcome, and a hook may have had something to say. */
export function recordResult(context: LoopContext, child: string): Change {
  const place = placeOf(context, child)
  const { result, content = '', feedback } = settledCall(context, child) ?? {}
  const work = changed(workOf(context), place, {
    callId: below(context.input.path, child),
    ...(result?.value === undefined ? {} : { result: result.value }),
  })
  return {
    work: telling(work, place, content),
    ...(feedback === undefined ? {} : { messages: context.messages.append(feedbackMessage(feedback)) }),
  }
}

/** The model has given the result of a step itself. */
export function recordAnswer(context: LoopContext, child: string, answer: string): PlanWork {
  const place = placeOf(context, child)
  return telling(changed(workOf(context), place, { result: answer }), place, answer)
}

/** What is to be done next for the step that a child was at work on. */
export function setDue(context: LoopContext, child: string, due: Due): PlanWork {
  const work = workOf(context)
  return { ...work, due: { ...work.due, [placeOf(context, child)]: due } }
}

export function completeStep(context: LoopContext, child: string): Settlement {
  const place = placeOf(context, child)
  return ended(changed(workOf(context), place, { status: 'complete' }), place)
}

/** What a step gave calls for another plan. */
export function objectToPlan(context: LoopContext, child: string, why: string): PlanWork {
  const { id } = stepOf(context, child)
  return objecting(workOf(context), `The result of the step "${id}" changes the plan: ${why}`)
}

/** The step makes no sense any more. */
export function skipStep(context: LoopContext, child: string, why: string): Settlement {
  const place = placeOf(context, child)
  const skipped = changed(workOf(context), place, { status: 'skipped' })
  const problem = `The step "${stepOf(context, child).id}" makes no sense any more: ${why}`
  return ended(objecting(skipped, problem), place)
}

/** The tool or the subagent of a step did not succeed; its result is on record. */
export function failCall(context: LoopContext, child: string): Settlement {
  const place = placeOf(context, child)
  const { result, content = '' } = settledCall(context, child) ?? {}
  const outcome = result?.outcome ?? 'failed'
  const error = result?.error ?? {
    name: 'StepError',
    code: `STEP_${outcome.toUpperCase()}`,
    message: `The step ended as ${outcome}.`,
  }
  const failed = changed(workOf(context), place, { status: 'failed', error })
  const problem = `The step "${stepOf(context, child).id}" did not succeed (${outcome}): ${content}`
  return ended(objecting(failed, problem), place)
}

/** The model has not said what to do for a step. */
export function failDecision(context: LoopContext, child: string, error: ErrorData): Settlement {
  const place = placeOf(context, child)
  const failed = changed(workOf(context), place, { status: 'failed', error })
  const told = telling(failed, place, 'It could not be decided how to carry it out.')
  return ended(objecting(told, `The step "${stepOf(context, child).id}" failed.`), place)
}

/** Nothing is under way any more: what was cut off has failed, and what had not begun is skipped. */
export function close(work: PlanWork): Settlement {
  const { plan } = work
  if (plan === undefined) return { work, events: [] }
  let closed: PlanWork = { ...work, due: {}, tasks: {} }
  const events: MachineEvent[] = []
  for (const [place, { status, result }] of plan.steps.entries()) {
    if (status === 'pending') closed = changed(closed, place, { status: 'skipped' })
    if (status !== 'running') continue
    closed = changed(
      closed,
      place,
      result === undefined ? { status: 'failed', error: cancelled } : { status: 'complete' },
    )
    events.push(...ended(closed, place).events)
  }
  return { work: closed, events }
}

const cancelled: ErrorData = {
  name: 'CancelledError',
  code: 'CANCELLED',
  message: 'The run ended before the step did.',
}

function ended(work: PlanWork, place: number): Settlement {
  const { id, revision, status, result, error } = stepsOf(work)[place] as PlanStep
  const payload = {
    stepId: id,
    revision,
    status: status as 'complete' | 'failed' | 'skipped',
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
  }
  return { work, events: [event('plan-step-end', payload)] }
}

export function changed(work: PlanWork, place: number, change: Partial<PlanStep>): PlanWork {
  const { plan } = work
  if (plan === undefined) return work
  const steps = plan.steps.map((step, index) => (index === place ? { ...step, ...change } : step))
  return { ...work, plan: { ...plan, steps } }
}

function objecting(work: PlanWork, problem: string): PlanWork {
  return { ...work, problems: [...work.problems, problem] }
}

function telling(work: PlanWork, place: number, content: string): PlanWork {
  return { ...work, told: { ...work.told, [place]: content } }
}

/** The guards of `settling` have asked whether there is one. */
function placeOf(context: LoopContext, child: string): number {
  return workOf(context).tasks[child]?.step as number
}

function stepOf(context: LoopContext, child: string): PlanStep {
  return stepsOf(workOf(context))[placeOf(context, child)] as PlanStep
}
