/** The steps that may go on now, and the child for each: a decision, a tool call or a delegation. */
import { childId } from '../../actors/actor-path.ts'
import { isDelegation } from '../loop/changes/children.ts'
import type { Question } from '../loop/changes/decision-input.ts'
import type { PendingCall } from '../loop/changes/context.ts'
import { runningIn } from '../loop/changes/live.ts'
import type { PlanStep } from '../contract/plan.ts'
import { actionQuestion, reviewQuestion } from './prompts.ts'
import { delegationPrompt } from './result-texts.ts'
import { stepsOf, type Due, type PlanWork, type Task, type PlanContext } from './work.ts'

export interface Start {
  readonly child: string
  readonly task: Task
  /** The step begins with this child. */
  readonly begins: boolean
  readonly job:
    | { readonly type: 'decision'; readonly question: Question }
    | { readonly type: 'delegation' | 'toolCall'; readonly pending: PendingCall }
}

/** Steps under way go on; others begin where the window has a place and the results that they need are available. */
export function nextStarts(context: PlanContext): Start[] {
  const work = context.work
  const due = Object.entries(work.due).map(([place, next]) => ({ place: Number(place), next }))
  const starts = due.map(({ place, next }) => startOf(context, place, next, false))
  for (const place of beginning(context)) {
    const step = stepsOf(work)[place] as PlanStep
    starts.push(startOf(context, place, firstOf(context, step, place), true))
  }
  // Decisions are numbered over the whole run, like other messages of the agent.
  let drafts = context.drafts
  return starts.map((start) =>
    start.job.type === 'decision' ? { ...start, child: childId('decision', ++drafts) } : start,
  )
}

/** No step begins once the plan must be revised, or the model cannot be called. */
function beginning(context: PlanContext): number[] {
  const work = context.work
  if (work.problems.length > 0 || work.error !== undefined) return []
  const running = runningIn(context.live)
  const places = context.input.profile.toolCallConcurrency - running - Object.keys(work.due).length
  return readySteps(work).slice(0, Math.max(0, places))
}

function readySteps(work: PlanWork): number[] {
  const steps = stepsOf(work)
  const complete = new Set(steps.flatMap(({ id, status }) => (status === 'complete' ? [id] : [])))
  return steps.flatMap(({ status, dependsOn }, place) =>
    status === 'pending' && dependsOn.every((id) => complete.has(id)) ? [place] : [],
  )
}

/** Whether a step may begin or go on. */
export function mayStart(context: PlanContext): boolean {
  return Object.keys(context.work.due).length > 0 || beginning(context).length > 0
}

/** Whether a step is under way, or may begin. */
export function isUnderWay(context: PlanContext): boolean {
  return context.live.length > 0 || mayStart(context)
}

/** A subagent needs its task alone, and a tool its arguments; for all other steps the model decides. */
function firstOf(context: PlanContext, step: PlanStep, place: number): Due | { readonly type: 'ask' } {
  const { toolset } = context.input.profile
  const { toolHint: name, args } = step
  if (name === undefined) return { type: 'ask' }
  const verdict = context.work.verdicts[place]
  const judgement = verdict === undefined ? {} : { verdict }
  if (toolset.subagent(name) !== undefined)
    return { type: 'call', name, args: { prompt: delegationPrompt(context.work, step) }, ...judgement }
  return args === undefined ? { type: 'ask' } : { type: 'call', name, args, ...judgement }
}

function startOf(
  context: PlanContext,
  place: number,
  next: Due | { readonly type: 'ask' },
  begins: boolean,
): Start {
  switch (next.type) {
    case 'ask': {
      const question = actionQuestion(context, stepsOf(context.work)[place] as PlanStep)
      return { child: '', task: { step: place, asks: 'action' }, begins, job: { type: 'decision', question } }
    }
    case 'review': {
      const question = reviewQuestion(context, place)
      return { child: '', task: { step: place, asks: 'review' }, begins, job: { type: 'decision', question } }
    }
    case 'call': {
      const pending = callOf(context, place, next)
      const type = isDelegation(pending) ? 'delegation' : 'toolCall'
      return { child: pending.child, task: { step: place, tool: next.name }, begins, job: { type, pending } }
    }
  }
}

/** A step is carried out by one call: revision and place make its id. */
function callOf(
  { input, work }: PlanContext,
  place: number,
  { type: _type, ...call }: Extract<Due, { readonly type: 'call' }>,
): PendingCall {
  const position = `${work.plan?.revision}.${place + 1}`
  const kind = input.profile.toolset.subagent(call.name) === undefined ? 'call' : 'delegation'
  const { toolGroups } = stepsOf(work)[place] ?? {}
  return {
    child: childId(kind, position),
    call: { id: `step-${position}`, ...call },
    ...(toolGroups === undefined ? {} : { toolGroups }),
  }
}
