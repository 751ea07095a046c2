/** Parameters of guards and actions, read off the events by which the children of the planner report. */
import { decided, undecided } from '../loop/changes/decision-input.ts'
import type { LoopContext } from '../loop/changes/context.ts'
import type { Report } from '../loop/changes/record.ts'
import type { Called } from '../loop/changes/tool-state.ts'
import { failure } from '../shared/params.ts'
import type { Action, Review } from './questions.ts'
import { workOf, type Due } from './work.ts'

interface Done {
  readonly event: { readonly actorId: string; readonly output: Report }
}

interface Crashed {
  readonly event: { readonly actorId: string; readonly error: unknown }
}

/** The call that was reported. */
export const calledOf = ({ context, event }: Done & { readonly context: LoopContext }): Called => ({
  child: event.actorId,
  name: workOf(context).tasks[event.actorId]?.tool ?? '',
})

const actionOf = ({ event }: Done) => decided({ event }) as Action

/** What the model would have called for a step. */
export const wantedCallOf = ({ event }: Done): { child: string; due: Due } => {
  const { tool, args } = actionOf({ event })
  return { child: event.actorId, due: { type: 'call', name: tool ?? '', args: args ?? {} } }
}

export const answerOf = ({ event }: Done) => ({
  child: event.actorId,
  answer: actionOf({ event }).answer ?? '',
})

/** Why a step, or what comes after it, makes no sense any more. */
export const objectionOf = ({ event }: Done) => ({
  child: event.actorId,
  why: (decided({ event }) as Review).replan ?? '',
})

export const dueReviewOf = ({ event }: Done): { child: string; due: Due } => ({
  child: event.actorId,
  due: { type: 'review' },
})

export const undecidedOf = ({ event }: Done) => ({ child: event.actorId, error: undecided({ event }) })

export const crashedDecisionOf = ({ event }: Crashed) => ({
  child: event.actorId,
  error: failure({ event }),
})
