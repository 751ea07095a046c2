/** What becomes of a step when a child reports: it goes on, is complete or has failed; and whether the plan still stands. */
import type { ErrorData } from '../../errors.ts'
import type { DecisionOutput } from '../decision.ts'
import { event, type MachineEvent } from '../events.ts'
import type { LoopContext } from '../loop/context.ts'
import { feedbackMessage } from '../loop/record.ts'
import type { PlanStep } from './plan.ts'
import type { Action, Review } from './questions.ts'
import { stepsOf, workOf, type Due, type PlanWork, type Task } from './work.ts'

export interface Settlement {
  readonly work: PlanWork
  readonly messages?: LoopContext['messages']
  readonly events: readonly MachineEvent[]
}

export type Decided = Pick<DecisionOutput, 'decision' | 'value' | 'error'>

/** What a child's report makes of its step. The report itself is on record already. `decided`: of decisions. */
export function settle(context: LoopContext, child: string, decided: Decided | undefined): Settlement {
  const work = workOf(context)
  const task = work.tasks[child]
  if (task === undefined) return { work, events: [] }
  const { [child]: _ended, ...tasks } = work.tasks
  const freed = { ...work, tasks }
  if (decided === undefined) return called(context, freed, task.step, child)
  return task.asks === 'review' ? reviewed(freed, task, decided) : chosen(context, freed, task, decided)
}

/** The model has said what to do for a step. */
function chosen(context: LoopContext, work: PlanWork, { step: place }: Task, decided: Decided): Settlement {
  const step = stepsOf(work)[place] as PlanStep
  if (decided.decision !== 'made') {
    const failed = changed(work, place, { status: 'failed', error: decided.error ?? cancelled })
    const told = { ...failed.told, [place]: 'It could not be decided how to carry it out.' }
    const error = lacksBudget(decided) ? decided.error : work.error
    return ended({ ...objecting(failed, `The step "${step.id}" failed.`), told, error }, place)
  }
  const { replan, tool, args, answer } = decided.value as Action
  if (replan) {
    const skipped = changed(work, place, { status: 'skipped' })
    return ended(objecting(skipped, `The step "${step.id}" makes no sense any more: ${replan}`), place)
  }
  if (tool) return { work: withDue(work, place, { type: 'call', name: tool, args: args ?? {} }), events: [] }
  const result = answer ?? ''
  const answered = { ...changed(work, place, { result }), told: { ...work.told, [place]: result } }
  return withResult(context, answered, place)
}

/** The tool or the subagent of a step has its outcome. */
function called(context: LoopContext, work: PlanWork, place: number, child: string): Settlement {
  const settled = context.settled[child]
  const step = stepsOf(work)[place] as PlanStep
  const { outcome = 'failed', value, error } = settled?.result ?? {}
  const content = settled?.content ?? ''
  const callId = `${context.input.path}/${child}`
  const result = value === undefined ? {} : { result: value }
  const told = { ...work.told, [place]: content }
  const messages =
    settled?.feedback === undefined
      ? {}
      : { messages: context.messages.append(feedbackMessage(settled.feedback)) }
  if (outcome === 'succeeded' || (outcome === 'bailed' && error === undefined)) {
    return {
      ...withResult(context, { ...changed(work, place, { callId, ...result }), told }, place),
      ...messages,
    }
  }
  const failed = changed(work, place, {
    status: 'failed',
    callId,
    ...result,
    error: error ?? {
      name: 'StepError',
      code: `STEP_${outcome.toUpperCase()}`,
      message: `The step ended as ${outcome}.`,
    },
  })
  const problem = `The step "${step.id}" did not succeed (${outcome}): ${content}`
  return { ...ended({ ...objecting(failed, problem), told }, place), ...messages }
}

/** A result may be looked at before others build on it: where the user asks for that, and something is still to come. */
function withResult(context: LoopContext, work: PlanWork, place: number): Settlement {
  const mustReview =
    context.input.profile.reviewSteps &&
    context.bail === undefined &&
    work.problems.length === 0 &&
    stepsOf(work).some(({ status }) => status === 'pending')
  if (mustReview) return { work: withDue(work, place, { type: 'review' }), events: [] }
  return ended(changed(work, place, { status: 'complete' }), place)
}

/** A review that could not be made is announced, and objects to nothing. */
function reviewed(work: PlanWork, { step: place }: Task, decided: Decided): Settlement {
  const complete = changed(work, place, { status: 'complete' })
  if (decided.decision !== 'made') {
    const error = decided.error ?? cancelled
    const { work: next, events } = ended(complete, place)
    return {
      work: lacksBudget(decided) ? { ...next, error } : next,
      events: [...events, event('error', { error, willRetry: false })],
    }
  }
  const { replan } = decided.value as Review
  const problem = `The result of the step "${stepsOf(work)[place]?.id}" changes the plan: ${replan}`
  return ended(replan ? objecting(complete, problem) : complete, place)
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

function withDue(work: PlanWork, place: number, due: Due): PlanWork {
  return { ...work, due: { ...work.due, [place]: due } }
}

function lacksBudget({ error }: Decided): boolean {
  return error?.code === 'BUDGET_EXCEEDED'
}
