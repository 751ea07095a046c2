/**
 * The guards and actions of the planner, beside those of every loop. Their changes are in revising, starting and
 * step-outcomes.
 */
import { assign, emit, enqueueActions } from 'xstate'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { ErrorData } from '../../errors.ts'
import { answerPayload, changesArguments, misfitOf } from '../contract/answers.ts'
import { event, type MachineEvent } from '../contract/events.ts'
import { offerTo } from '../loop/changes/announce.ts'
import { delegationInput, toolCallInput } from '../loop/changes/children.ts'
import { closeStep, nothingClosed } from '../loop/changes/close-step.ts'
import { decisionInput } from '../loop/changes/decision-input.ts'
import { exhaustionOf } from '../loop/changes/next-step.ts'
import { withRunning } from '../loop/changes/live.ts'
import { onlyHeldLeft } from '../loop/changes/predicates.ts'
import { crashReport, noticeMessage } from '../loop/changes/record.ts'
import type { Report } from '../contract/reports.ts'
import { createLoop } from '../loop/setup.ts'
import { forbidsModelCalls, isOverBudget, lacksUsage } from '../contract/spent.ts'
import {
  actionOf,
  bailsStep,
  bailsWithAnswer,
  isCall,
  isDecisionMade,
  isStepDecision,
  cannotCallModel,
  mustReview,
  objectsToPlan,
  succeeds,
} from './step-predicates.ts'
import {
  changedPlan,
  planName,
  planPolicy,
  planRejected,
  planSignal,
  problemOfAnswer,
  rejectedPlan,
} from './plan-approval.ts'
import { synthesisPrompt } from './result-texts.ts'
import { adopt, recordProposal, revisedPlan, unplanned } from './revising.ts'
import {
  changed,
  close,
  completeStep,
  failCall,
  failDecision,
  objectToPlan,
  recordAnswer,
  recordResult,
  recordStepReport,
  releaseTask,
  setDue,
  skipStep,
  type Settlement,
} from './step-outcomes.ts'
import { isUnderWay, mayStart, nextStarts } from './starting.ts'
import { hasRun, maxReplans, missing, stepsOf, type Due, type PlanContext, type PlanWork } from './work.ts'
import { applied } from '../shared/applied.ts'

type Answered = EffectOutcome<'signal'>

export const planSetup = /* @__PURE__ */ createLoop<PlanWork>().extend({
  guards: {
    isSound: ({ context }) => context.work.error === undefined,
    // the approval of the plan
    isRevision: ({ context }) => context.work.plan !== undefined,
    asksAboutPlan: ({ context }) => planPolicy(context) === 'asks',
    requiresPlanApproval: ({ context }) => planPolicy(context) === true,
    saysYes: (_, params: boolean) => params,
    isMisfitPlan: ({ context }, params: Answered) =>
      changesArguments(params) && problemOfAnswer(context, params) !== undefined,
    changesPlan: (_, params: Answered) => changesArguments(params),
    // for `batch`
    hasReport: ({ context }) => hasReport(context),
    hasPlace: ({ context }) => mayStart(context),
    allSettled: ({ context }) => !isUnderWay(context),
    onlyHeldLeft: ({ context }) => !hasReport(context) && onlyHeldLeft(context),
    isAtWork: ({ context }) => hasReport(context) || !onlyHeldLeft(context),
    // a report and its step
    isCall: ({ context }) => isCall(context),
    isStepDecision: ({ context }) => isStepDecision(context),
    bailsWithAnswer: ({ context }) => bailsWithAnswer(context),
    bailsStep: ({ context }) => bailsStep(context),
    succeeds: ({ context }) => succeeds(context),
    succeedsToReview: ({ context }) => succeeds(context) && mustReview(context),
    skipsStep: ({ context }) => Boolean(actionOf(context)?.replan),
    choosesCall: ({ context }) => Boolean(actionOf(context)?.tool),
    answersStep: ({ context }) => actionOf(context) !== undefined,
    answersStepToReview: ({ context }) => actionOf(context) !== undefined && mustReview(context),
    objectsToPlan: ({ context }) => objectsToPlan(context),
    cannotCallModel: ({ context }) => cannotCallModel(context),
    isDecisionMade: ({ context }) => isDecisionMade(context),
    // the decision after the steps
    lacksUsageForPlan: ({ context }) => lacksUsage(context.work.error),
    isOutOfBudget: ({ context }) => isOverBudget(context.work.error),
    isCarriedOut: ({ context }) => isCarriedOut(context),
    mayReplan: ({ context }) => mayReplan(context),
    hasPartialResults: ({ context }) => hasRun(context.work) && !cannotPlan(context),
  },
  actions: {
    recordReport: assign(({ context }, { child, report }: { child: string; report: Report }) =>
      recordStepReport(context, child, report),
    ),
    recordCrash: assign(({ context }, { child, error }: { child: string; error: ErrorData }) =>
      recordStepReport(context, child, crashReport(context, child, error)),
    ),
    /** A step of the plan is no step of the loop. */
    closeStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, context.step === 0 ? nothingClosed : closeStep(context)),
    ),
    exhaust: assign(({ context }) => ({ ending: exhaustionOf(context) ?? context.ending })),
    recordProposal: assign(({ context }, params: { value: JsonValue }) => ({
      work: recordProposal(context, params.value),
    })),
    recordNoProposal: assign(({ context }, params: ErrorData) => ({
      work: unplanned(context.work, params),
    })),
    announcePlan: emit(({ context }) =>
      event('plan-created', { ...revisedPlan(context.work), ...offerTo(context) }),
    ),
    announceRevision: emit(({ context }) => {
      const work = context.work
      const reason = work.problems.join('\n')
      return event('plan-revised', { ...revisedPlan(work), ...offerTo(context), reason })
    }),
    countPlanQuestion: assign(({ context: { work } }) => ({ work: { ...work, asked: work.asked + 1 } })),
    announcePlanQuestion: emit(({ context }) => {
      const { id: toolCallId, toolName, args } = planSignal(context)
      return event('tool-call-approval', { toolCallId, toolName, args })
    }),
    announcePlanAnswer: emit(({ context }, params: Answered) => {
      const { id: toolCallId, toolName } = planSignal(context)
      return event('tool-call-answered', { toolCallId, toolName, ...answerPayload('approval', params) })
    }),
    announceMisfitPlan: emit(({ context }, params: Answered) => {
      const problem = problemOfAnswer(context, params) ?? ''
      return event('error', { error: misfitOf(planName, problem), willRetry: false })
    }),
    recordPlanChange: assign(({ context }, params: Answered) => ({ work: changedPlan(context, params) })),
    recordRejection: assign(({ context }, params: Answered) => ({
      work: rejectedPlan(context.work, params),
    })),
    adoptPlan: assign(({ context }) => ({ work: adopt(context.work) })),
    countReplan: assign(({ context }) => {
      const work = context.work
      return { work: { ...work, replans: work.replans + 1, error: undefined } }
    }),
    startCalls: enqueueActions(({ enqueue, context }) => {
      const starts = nextStarts(context)
      if (starts.length === 0) return
      const { drafts } = context
      let work: PlanWork = { ...context.work, due: {} }
      for (const { child, task, begins, job } of starts) {
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
      const live = withRunning(
        context.live,
        starts.map(({ child }) => child),
      )
      enqueue.assign({ work, live, drafts: drafts + decisions })
    }),
    recordResult: assign(({ context }, params: { child: string }) => recordResult(context, params.child)),
    recordAnswer: assign(({ context }, params: { child: string; answer: string }) => ({
      work: recordAnswer(context, params.child, params.answer),
    })),
    setDue: assign(({ context }, params: { child: string; due: Due }) => ({
      work: setDue(context, params.child, params.due),
    })),
    completeStep: enqueueActions(({ enqueue, context }, params: { child: string }) => {
      settled(enqueue, completeStep(context, params.child))
    }),
    skipStep: enqueueActions(({ enqueue, context }, params: { child: string; why: string }) => {
      settled(enqueue, skipStep(context, params.child, params.why))
    }),
    failCall: enqueueActions(({ enqueue, context }, params: { child: string }) => {
      settled(enqueue, failCall(context, params.child))
    }),
    failDecision: enqueueActions(({ enqueue, context }, params: { child: string; error: ErrorData }) => {
      settled(enqueue, failDecision(context, params.child, params.error))
    }),
    objectToPlan: assign(({ context }, params: { child: string; why: string }) => ({
      work: objectToPlan(context, params.child, params.why),
    })),
    recordOutage: assign(({ context }, params: ErrorData) => ({
      work: { ...context.work, error: params },
    })),
    releaseTask: assign(({ context }) => ({ work: releaseTask(context) })),
    closePlan: enqueueActions(({ enqueue, context }) => settled(enqueue, close(context.work))),
    /** Closes the plan; its results become part of the conversation. */
    concludePlan: enqueueActions(({ enqueue, context }) => {
      const closed = close(context.work)
      settled(enqueue, closed)
      if (addsResults(context)) enqueue.assign({ messages: withResults({ ...context, work: closed.work }) })
    }),
    announceSynthesis: emit(({ context }) =>
      event('synthesis-start', { missing: missing(context.work).map(({ id }) => id) }),
    ),
    announceProblem: emit(({ context }) => {
      const error = context.work.error as ErrorData // `isSound` has checked it
      return event('error', { error, willRetry: mayReplan(context) })
    }),
  },
})

interface Enqueue {
  readonly assign: (change: { work: PlanWork }) => void
  readonly emit: (event: MachineEvent) => void
}

/** Records an ended step, and emits its events. */
function settled(enqueue: Enqueue, { work, events }: Settlement): void {
  applied(enqueue, { change: { work }, events })
}

function hasReport(context: PlanContext): boolean {
  return context.work.report !== undefined
}

/** A step was tried, and the results are not part of the conversation yet. */
function addsResults({ step, work }: PlanContext): boolean {
  return step === 0 && hasRun(work)
}

function withResults(context: PlanContext): PlanContext['messages'] {
  return context.messages.append(noticeMessage(synthesisPrompt(context)))
}

/** Another plan may be better. */
const planFaults: ReadonlySet<string> = new Set(['INVALID_DECISION', 'INVALID_PLAN', planRejected])

/** The model could not be called, so that another attempt to plan would fail too. */
function cannotPlan(context: PlanContext): boolean {
  const { error } = context.work
  return error !== undefined && !planFaults.has(error.code)
}

function isCarriedOut(context: PlanContext): boolean {
  const work = context.work
  return work.plan !== undefined && work.problems.length === 0 && missing(work).length === 0
}

function mayReplan(context: PlanContext): boolean {
  const { error, replans } = context.work
  return !forbidsModelCalls(error) && !cannotPlan(context) && replans < maxReplans(context)
}
