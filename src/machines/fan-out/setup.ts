/** What a fan-out can ask and do beside what every loop can, by name. */
import { assign, emit, enqueueActions } from 'xstate'
import type { Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { TimeoutEvent } from '../contract/cancel.ts'
import { event } from '../contract/events.ts'
import { noticeMessage } from '../loop/changes/record.ts'
import type { DelegationReport } from '../loop/child-events.ts'
import { loopSetup } from '../loop/setup.ts'
import { fanIn, fanOut, synthesisStart } from './announce.ts'
import type { Goal } from './goals.ts'
import {
  closeRound,
  dropQueued,
  goalTimeoutOf,
  hasRoundLeft,
  isOneOfMany,
  lapseQueued,
  openRound,
  planRound,
  recordGoal,
  recordGoalCrash,
  recordRound,
  workOf,
} from './round.ts'

export const roundTimer = 'timer:round'

export const fanOutSetup = /* @__PURE__ */ loopSetup.extend({
  guards: {
    hasNoAgents: ({ context }) => context.input.profile.toolset.subagents.size === 0,
    hasRoundLeft: ({ context }) => hasRoundLeft(context),
    isAwaited: ({ context }, params: { child: string }) => context.live[params.child] !== undefined,
    isOneOfMany: ({ context }, params: DelegationReport) => isOneOfMany(context, params),
    isLastHeld: ({ context }, params: { child: string }) =>
      Object.entries(context.live).every(([child, state]) => state !== 'held' || child === params.child),
    wantsAnotherRound: ({ context }) => workOf(context).next.goals.length > 0,
  },
  actions: {
    planRound: assign(({ context }, params: { goals: readonly Goal[]; spent: Usage }) =>
      planRound(context, params.goals, params.spent),
    ),
    openRound: assign(({ context }) => openRound(context)),
    recordGoal: assign(({ context }, params: DelegationReport) =>
      recordGoal(context, params.child, params.report),
    ),
    recordGoalCrash: assign(({ context }, params: { child: string; error: ErrorData }) =>
      recordGoalCrash(context, params.child, params.error),
    ),
    lapseQueued: assign(({ context }) => lapseQueued(context)),
    dropQueued: assign(({ context }, params: ErrorData) => dropQueued(context, params)),
    lapseLive: enqueueActions(({ enqueue, context }) => {
      const timeout: TimeoutEvent = { type: 'timeout', after: goalTimeoutOf(context) }
      for (const child of Object.keys(context.live)) enqueue.sendTo(child, timeout)
    }),
    pauseRound: enqueueActions(({ enqueue }) => enqueue.sendTo(roundTimer, { type: 'effect.pause' })),
    unpauseRound: enqueueActions(({ enqueue }) => enqueue.sendTo(roundTimer, { type: 'effect.unpause' })),
    closeRound: assign(({ context }) => closeRound(context)),
    recordRound: assign(({ context }) => recordRound(context)),
    askForSynthesis: assign(({ context }) => ({
      messages: context.messages.append(
        noticeMessage(
          'Answer the task now from the results. Neither tools nor agents are available. Where a goal has no complete result, say what is missing.',
        ),
      ),
    })),
    announceFanOut: emit(({ context }) => event('fan-out', fanOut(context))),
    announceFanIn: emit(({ context }) => event('fan-in', fanIn(context))),
    announceSynthesisStart: emit(({ context }) => event('synthesis-start', synthesisStart(context))),
  },
})
