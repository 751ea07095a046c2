/** Settles a step when its child reports, as pure functions: the step goes on, or is complete, skipped or failed. */
import { filesOf, textOf, withFiles, type Content } from '../../actors/content/content.ts'
import { below } from '../../actors/actor-path.ts'
import type { Message } from '../../actors/message.ts'
import type { ErrorData } from '../../errors.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import { settledCall } from '../loop/changes/context.ts'
import { feedbackMessage, noticeMessage, recordReport } from '../loop/changes/record.ts'
import type { Report } from '../contract/reports.ts'
import type { PlanStep } from '../contract/plan.ts'
import { stepsOf, type Due, type PlanWork, type PlanContext } from './work.ts'

type Change = Partial<PlanContext>

/** The plan with a step that has ended, and the events that announce it. */
export interface Settlement {
  readonly work: PlanWork
  readonly events: readonly MachineEvent[]
}

/** Records a report. That of a step's child is settled next. */
export function recordStepReport(context: PlanContext, child: string, report: Report): Change {
  const change = recordReport(context, child, report)
  const work = context.work
  return work.tasks[child] === undefined
    ? change
    : { ...change, work: { ...work, report: { child, report } } }
}

/** Ends the settling of a report: its child has no task any more. */
export function releaseTask(context: PlanContext): PlanWork {
  const { report, ...work } = context.work
  const { [report?.child ?? '']: _ended, ...tasks } = work.tasks
  return { ...work, tasks, report: undefined }
}

/** Records the outcome of the tool or the subagent of a step, and the feedback of a hook. */
export function recordResult(context: PlanContext, child: string): Change {
  const place = placeOf(context, child)
  const { result, content = '', feedback } = settledCall(context, child) ?? {}
  const work = changed(context.work, place, {
    callId: below(context.input.path, child),
    ...(result?.value === undefined ? {} : { result: result.value }),
  })
  const messages = [
    ...filesNotice(stepOf(context, child), content),
    ...(feedback === undefined ? [] : [feedbackMessage(feedback)]),
  ]
  return {
    work: withResultText(work, place, textOf(content)),
    ...(messages.length === 0 ? {} : { messages: context.messages.append(...messages) }),
  }
}

/** The prompts hold the results as text: the files of a result come into the conversation. */
function filesNotice({ id }: PlanStep, content: Content): readonly Message[] {
  const files = filesOf(content)
  return files.length === 0 ? [] : [noticeMessage(withFiles(`The step "${id}" gave these files:`, files))]
}

/** Records a result that the model has given itself. */
export function recordAnswer(context: PlanContext, child: string, answer: string): PlanWork {
  const place = placeOf(context, child)
  return withResultText(changed(context.work, place, { result: answer }), place, answer)
}

/** Sets the next action for the step that a child was at work on. */
export function setDue(context: PlanContext, child: string, due: Due): PlanWork {
  const work = context.work
  return { ...work, due: { ...work.due, [placeOf(context, child)]: due } }
}

export function completeStep(context: PlanContext, child: string): Settlement {
  const place = placeOf(context, child)
  return ended(changed(context.work, place, { status: 'complete' }), place)
}

/** Records that the result of a step calls for another plan. */
export function objectToPlan(context: PlanContext, child: string, why: string): PlanWork {
  const { id } = stepOf(context, child)
  return objecting(context.work, `The result of the step "${id}" changes the plan: ${why}`)
}

/** Skips a step that earlier results have made pointless. */
export function skipStep(context: PlanContext, child: string, why: string): Settlement {
  const place = placeOf(context, child)
  const skipped = changed(context.work, place, { status: 'skipped' })
  const problem = `The step "${stepOf(context, child).id}" makes no sense any more: ${why}`
  return ended(objecting(skipped, problem), place)
}

/** Fails a step whose tool or subagent did not succeed; its result is recorded already. */
export function failCall(context: PlanContext, child: string): Settlement {
  const place = placeOf(context, child)
  const { result, content = '' } = settledCall(context, child) ?? {}
  const outcome = result?.outcome ?? 'failed'
  const error = result?.error ?? {
    name: 'StepError',
    code: `STEP_${outcome.toUpperCase()}`,
    message: `The step ended as ${outcome}.`,
  }
  const failed = changed(context.work, place, { status: 'failed', error })
  const problem = `The step "${stepOf(context, child).id}" did not succeed (${outcome}): ${textOf(content)}`
  return ended(objecting(failed, problem), place)
}

/** Fails a step for which the model has decided nothing. */
export function failDecision(context: PlanContext, child: string, error: ErrorData): Settlement {
  const place = placeOf(context, child)
  const failed = changed(context.work, place, { status: 'failed', error })
  const failedWithText = withResultText(failed, place, 'It could not be decided how to carry it out.')
  return ended(objecting(failedWithText, `The step "${stepOf(context, child).id}" failed.`), place)
}

/**
 * Closes the plan when no step is under way: a step that was cut off has failed, one that had not begun is skipped.
 */
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

function withResultText(work: PlanWork, place: number, content: string): PlanWork {
  return { ...work, resultTexts: { ...work.resultTexts, [place]: content } }
}

/** The guards of `settling` have checked that there is one. */
function placeOf(context: PlanContext, child: string): number {
  return context.work.tasks[child]?.step as number
}

function stepOf(context: PlanContext, child: string): PlanStep {
  return stepsOf(context.work)[placeOf(context, child)] as PlanStep
}
