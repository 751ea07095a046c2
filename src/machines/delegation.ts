/**
 * One delegation: authorised by the user's hook, run by a subagent, reviewed by the user's hook. It ends in exactly
 * one typed outcome, even if the subagent or a hook fails or times out. This file draws every arrow between the states;
 * delegation/ holds the insides of `authorising` and `reviewing`.
 */
import { once } from '../actors/values/once.ts'
import type { CancelEvent } from './contract/cancel.ts'
import type { DelegationOutcome } from './contract/records.ts'
import type { AgentReport } from './contract/agent.ts'
import { authorising } from './delegation/authorising.ts'
import { delegationOutput, initialContext, type DelegationContext } from './delegation/context.ts'
import { reviewing } from './delegation/reviewing.ts'
import { delegationSetup } from './delegation/setup.ts'
import { named } from './shared/named.ts'
import { failure, output } from './shared/params.ts'
import type { DelegationOutput } from './contract/reports.ts'

export type { DelegationInput } from './delegation/context.ts'

/** The agent at work has handed off: its successor is started in its place. */
const handedOver = [
  'reapAgent',
  { type: 'recordHandoff', params: output<AgentReport> },
  'startSuccessor',
] as const

const cancelAgent = [
  'recordCancel',
  { type: 'cancelAgent', params: ({ event }: { event: CancelEvent }) => event },
] as const

export const delegationMachine = /* @__PURE__ */ once(() =>
  delegationSetup.createMachine({
    id: 'delegation',
    description: 'One delegation to a subagent: authorised, run, reviewed; exactly one typed outcome.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as DelegationOutput,
    initial: 'authorising',
    states: named({
      authorising: authorising({
        started: 'working',
        rejected: 'rejected',
        tooDeep: 'exhausted',
        failed: 'failed',
        timedOut: 'timedOut',
        cancelled: 'cancelled',
        outOfTime: 'exhausted',
      }),
      working: {
        description: 'The subagent is at work, or waits for a signal.',
        initial: 'running',
        on: {
          'xstate.done.actor.timer:deadline': 'timingOut',
          'xstate.done.actor.*': [
            { guard: { type: 'isHandedOff', params: output }, target: '.running', actions: [...handedOver] },
            { target: 'reviewing', actions: { type: 'recordResult', params: output } },
          ],
          'xstate.error.actor.*': { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
          timeout: { target: 'timingOut', actions: { type: 'recordLimit', params: ({ event }) => event } },
          'budget.spent': {
            target: 'expiring',
            actions: { type: 'expireAgent', params: ({ event }) => event },
          },
          cancel: { target: 'cancelling', actions: cancelAgent },
        },
        states: {
          running: {
            description: 'The subagent is at work.',
            on: {
              'child.held': [
                { guard: 'hasTimeout', target: 'held', actions: 'pauseDeadline' },
                { target: 'held' },
              ],
            },
          },
          held: {
            description: 'The subagent waits for a signal; the timeout is paused.',
            entry: 'announceHeld',
            exit: 'announceReleased',
            on: {
              'child.released': [
                { guard: 'hasTimeout', target: 'running', actions: 'unpauseDeadline' },
                { target: 'running' },
              ],
              'xstate.done.actor.timer:deadline': '#timingOut', // it fired before it could be paused
              'xstate.done.actor.*': [
                {
                  guard: { type: 'isHandedOffUnderDeadline', params: output },
                  target: 'running',
                  actions: [...handedOver, 'unpauseDeadline'],
                },
                {
                  guard: { type: 'isReportUnderDeadline', params: output },
                  target: '#reviewing',
                  actions: ['unpauseDeadline', { type: 'recordResult', params: output }],
                },
              ],
              'xstate.error.actor.*': {
                guard: 'hasTimeout',
                target: '#reviewing',
                actions: ['unpauseDeadline', { type: 'recordCrash', params: failure }],
              },
            },
          },
        },
      },
      timingOut: {
        description: 'The time is up. The subagent is asked to cancel, and reports first.',
        entry: [
          'stopDeadline',
          { type: 'cancelAgent', params: { cause: 'timeout', reason: 'The delegation timed out.' } },
        ],
        on: {
          'xstate.done.actor.*': { target: 'reviewing', actions: { type: 'recordTimeout', params: output } },
          'xstate.error.actor.*': { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
          cancel: { target: 'cancelling', actions: 'recordCancel' },
          'budget.spent': { actions: 'recordSpent' },
        },
      },
      expiring: {
        description:
          'The time of the run is up. The subagent is asked to end, and reports first; no hook is called (see `callsCompleteHook`).',
        entry: ['recordSpent', 'stopDeadline'],
        on: {
          'xstate.done.actor.*': { target: 'reviewing', actions: { type: 'recordExpired', params: output } },
          'xstate.error.actor.*': { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
          timeout: {},
          'budget.spent': {},
          cancel: { target: 'cancelling', actions: cancelAgent },
        },
      },
      cancelling: {
        description: 'The delegation was cancelled. The subagent is asked to cancel, and reports first.',
        entry: 'stopDeadline',
        on: {
          'budget.spent': {},
          'xstate.done.actor.*': {
            target: 'cancelled',
            actions: { type: 'recordCancelled', params: output },
          },
          'xstate.error.actor.*': { target: 'cancelled', actions: { type: 'recordCrash', params: failure } },
        },
      },
      reviewing: reviewing({
        succeeded: 'succeeded',
        bailed: 'bailed',
        failed: 'failed',
        timedOut: 'timedOut',
        exhausted: 'exhausted',
        cancelled: 'cancelled',
        outOfTime: 'exhausted',
      }),
      succeeded: final('succeeded'),
      bailed: { ...final('bailed'), entry: [announceEnd('bailed'), 'announceBail'] },
      rejected: { ...final('rejected'), entry: 'announceRejection' },
      failed: final('failed'),
      timedOut: final('timedOut'),
      exhausted: final('exhausted'),
      cancelled: final('cancelled'),
    }),
  }),
)

function announceEnd(outcome: DelegationOutcome) {
  return { type: 'announceEnd', params: { outcome } } as const
}

function final(outcome: DelegationOutcome) {
  return {
    type: 'final',
    entry: announceEnd(outcome),
    output: ({ context }: { context: DelegationContext }) => delegationOutput(context, outcome),
  } as const
}

/** Named, so that declarations of the charts above it name it too. */
export interface DelegationMachine extends ReturnType<typeof delegationMachine> {}
