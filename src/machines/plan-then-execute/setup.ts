/** The vocabulary of the planner, beside that of the loop. What its actions write down is in revising, starting and settling. */
import { assign, emit, enqueueActions } from 'xstate'
import type { JsonValue } from '../../actors/json.ts'
import type { ErrorData } from '../../errors.ts'
import { event } from '../events.ts'
import { offerTo } from '../loop/announce.ts'
import { delegationInput, toolCallInput } from '../loop/children.ts'
import { decisionInput } from '../loop/choosing.ts'
import type { LoopContext } from '../loop/context.ts'
import { noticeMessage, type Report } from '../loop/record.ts'
import { loopSetup } from '../loop/setup.ts'
import { synthesisPrompt } from './report.ts'
import { adopt, recordProposal, revisedPlan, unplanned } from './revising.ts'
import { changed, close, settle, type Decided } from './settling.ts'
import { isUnderWay, nextStarts } from './starting.ts'
import { hasRun, maxReplans, missing, stepsOf, workOf, type PlanWork } from './work.ts'

export const planSetup = loopSetup.extend({
  guards: {
    isSound: ({ context }) => workOf(context).error === undefined,
    isSoundRevision: ({ context }) =>
      workOf(context).error === undefined && workOf(context).plan !== undefined,
    isUnderWay: ({ context }) => isUnderWay(context),
    bailsStep: (_, params: { report: Report }) =>
      'record' in params.report && params.report.record.outcome === 'bailed',
    isOutOfBudget: ({ context }) => isOutOfBudget(context),
    /** There is something to tell, before the last word. */
    isOutOfBudgetMidway: ({ context }) => isOutOfBudget(context) && hasRun(workOf(context)),
    cannotPlan: ({ context }) => cannotPlan(context),
    isCarriedOut: ({ context }) => isCarriedOut(context),
    mayReplan: ({ context }) => mayReplan(context),
    hasRun: ({ context }) => hasRun(workOf(context)),
  },
  actions: {
    recordProposal: assign(({ context }, params: JsonValue) => ({ work: recordProposal(context, params) })),
    recordNoProposal: assign(({ context }, params: ErrorData) => ({
      work: unplanned(workOf(context), params),
    })),
    announcePlan: emit(({ context }) =>
      event('plan-created', { ...revisedPlan(workOf(context)), ...offerTo(context) }),
    ),
    announceRevision: emit(({ context }) => {
      const work = workOf(context)
      const reason = work.problems.join('\n')
      return event('plan-revised', { ...revisedPlan(work), ...offerTo(context), reason })
    }),
    adoptPlan: assign(({ context }) => ({ work: adopt(workOf(context)) })),
    countReplan: assign(({ context }) => {
      const work = workOf(context)
      return { work: { ...work, replans: work.replans + 1, error: undefined } }
    }),
    startSteps: enqueueActions(({ enqueue, context }) => {
      const starts = nextStarts(context)
      if (starts.length === 0) return
      const { drafts } = context
      let work: PlanWork = { ...workOf(context), due: {} }
      const live = { ...context.live }
      for (const { child, task, begins, job } of starts) {
        live[child] = 'running'
        work = { ...work, tasks: { ...work.tasks, [child]: task } }
        if (begins) {
          work = changed(work, task.step, { status: 'running' })
          const { id, revision, goal, toolHint } = stepsOf(work)[task.step] ?? {
            id: '',
            revision: 0,
            goal: '',
          }
          const hint = toolHint === undefined ? {} : { toolHint }
          enqueue.emit(event('plan-step-start', { stepId: id, revision, goal, ...hint }))
        }
        switch (job.type) {
          case 'decision':
            enqueue.spawnChild('decision', { id: child, input: decisionInput(context, job.question) })
            break
          case 'delegation': {
            // To hooks, each revision of the plan is an iteration.
            const input = { ...delegationInput(context, job.pending), iteration: work.plan?.revision ?? 1 }
            enqueue.spawnChild('delegation', { id: child, input })
            break
          }
          case 'toolCall':
            enqueue.spawnChild('toolCall', { id: child, input: toolCallInput(context, job.pending) })
        }
      }
      const decisions = starts.filter(({ job }) => job.type === 'decision').length
      enqueue.assign({ work, live, drafts: drafts + decisions })
    }),
    settleStep: enqueueActions(({ enqueue, context }, params: { child: string; decided?: Decided }) => {
      const { work, messages, events } = settle(context, params.child, params.decided)
      enqueue.assign(messages === undefined ? { work } : { work, messages })
      for (const emitted of events) enqueue.emit(emitted)
    }),
    closePlan: enqueueActions(({ enqueue, context }) => {
      const { work, events } = close(workOf(context))
      enqueue.assign({ work })
      for (const emitted of events) enqueue.emit(emitted)
    }),
    tellResults: assign(({ context }) => ({
      messages: context.messages.append(noticeMessage(synthesisPrompt(context))),
    })),
    announceSynthesis: emit(({ context }) =>
      event('synthesis-start', { missing: missing(workOf(context)).map(({ id }) => id) }),
    ),
    announceProblem: emit(({ context }) => {
      const error = workOf(context).error as ErrorData // `isSound` has asked for it
      return event('error', { error, willRetry: mayReplan(context) })
    }),
  },
})

function isOutOfBudget(context: LoopContext): boolean {
  return workOf(context).error?.code === 'BUDGET_EXCEEDED'
}

/** The model could not be asked: another plan would not come either. */
function cannotPlan(context: LoopContext): boolean {
  const { error } = workOf(context)
  return error !== undefined && error.code !== 'INVALID_DECISION' && error.code !== 'INVALID_PLAN'
}

function isCarriedOut(context: LoopContext): boolean {
  const work = workOf(context)
  return work.plan !== undefined && work.problems.length === 0 && missing(work).length === 0
}

function mayReplan(context: LoopContext): boolean {
  const { error, replans } = workOf(context)
  return error?.code !== 'BUDGET_EXCEEDED' && !cannotPlan(context) && replans < maxReplans(context)
}
