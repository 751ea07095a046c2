/** The guards and actions of a fan-out, beside those of every loop. */
import { assign, emit, enqueueActions } from 'xstate'
import { isChild } from '../../actors/actor-path.ts'
import { noUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { TimeoutEvent } from '../contract/cancel.ts'
import { event } from '../contract/events.ts'
import { closeOpenStep } from '../loop/changes/close-step.ts'
import { valueOf, verdictsOf } from '../loop/changes/decision-input.ts'
import { noticeMessage, recordCrash, recordReport, settleUnstarted } from '../loop/changes/record.ts'
import type { Report } from '../contract/reports.ts'
import { spentError } from '../contract/cancel.ts'
import { createLoop } from '../loop/setup.ts'
import { fanOut, synthesisStart } from './announce.ts'
import { closeRoundOrStep, cutRoundOrStep, cutRoundShort } from './close-round.ts'
import { goalsOf } from './goals.ts'
import {
  dropQueued,
  goalTimeoutOf,
  hasRoundLeft,
  timeOutQueued,
  openRound,
  planRound,
  recordGoal,
  recordGoalCrash,
  type FanOutContext,
  type FanOutWork,
  type NextRound,
} from './round.ts'
import { applied } from '../shared/applied.ts'

export const roundTimer = 'timer:round'

/** The goals of a decision become the next round, which is a step that costs as much as the decision. */
export const goalsTaken = {
  type: 'planRound',
  params: ({ context }: { readonly context: FanOutContext }) => ({
    goals: goalsOf(valueOf({ context }).value),
    verdicts: verdictsOf(context),
    spent: context.verdict.decision?.usage ?? noUsage,
  }),
} as const

export const fanOutSetup = /* @__PURE__ */ createLoop<FanOutWork>().extend({
  guards: {
    hasNoAgents: ({ context }) => context.input.profile.toolset.subagents.size === 0,
    hasRoundLeft: ({ context }) => hasRoundLeft(context),
    isLastHeld: ({ context }, params: { child: string }) =>
      context.live.every(({ child, state }) => state !== 'held' || child === params.child),
    hasOtherWork: ({ context }) => context.work.next.goals.length > 0,
  },
  actions: {
    planRound: assign(({ context }, params: NextRound) => planRound(context, params)),
    openRound: assign(({ context }) => openRound(context)),
    recordReport: assign(({ context }, { child, report }: { child: string; report: Report }) =>
      report.kind === 'delegation'
        ? recordGoal(context, child, report)
        : recordReport(context, child, report),
    ),
    recordCrash: assign(({ context }, { child, error }: { child: string; error: ErrorData }) =>
      isChild(child, 'delegation')
        ? recordGoalCrash(context, child, error)
        : recordCrash(context, child, error),
    ),
    timeOutQueued: assign(({ context }) => timeOutQueued(context)),
    settleUnstarted: assign(({ context, event }) =>
      context.reply === undefined
        ? dropQueued(context, spentError({ event }))
        : settleUnstarted(context, spentError({ event })),
    ),
    timeOutLive: enqueueActions(({ enqueue, context }) => {
      const timeout: TimeoutEvent = { type: 'timeout', after: goalTimeoutOf(context) }
      for (const { child } of context.live) enqueue.sendTo(child, timeout)
    }),
    pauseRound: enqueueActions(({ enqueue }) => enqueue.sendTo(roundTimer, { type: 'effect.pause' })),
    unpauseRound: enqueueActions(({ enqueue }) => enqueue.sendTo(roundTimer, { type: 'effect.unpause' })),
    closeStep: enqueueActions(({ enqueue, context }) => applied(enqueue, closeRoundOrStep(context))),
    closeOpenStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, closeOpenStep(context, closeRoundOrStep)),
    ),
    cutOpenStep: enqueueActions(({ enqueue, context }) =>
      applied(enqueue, closeOpenStep(context, cutRoundShort)),
    ),
    endStep: enqueueActions(({ enqueue, context }) => applied(enqueue, cutRoundOrStep(context))),
    askForSynthesis: assign(({ context }) => ({
      messages: context.messages.append(
        noticeMessage(
          'Answer the task now from the results. Neither tools nor agents are available. Where a goal has no complete result, say what is missing.',
        ),
      ),
    })),
    announceFanOut: emit(({ context }) => event('fan-out', fanOut(context))),
    announceSynthesisStart: emit(({ context }) => event('synthesis-start', synthesisStart(context))),
  },
})
