/**
 * One delegation: authorised by the user's hook, run by a subagent, reviewed by the user's hook. It ends in exactly
 * one typed outcome, even if the subagent or a hook fails or times out.
 */
import { once } from '../actors/values/once.ts'
import type { DelegationOutcome } from './contract/records.ts'
import type { AgentReport } from './contract/agent.ts'
import { authorising } from './delegation/authorising.ts'
import { delegationOutput, initialContext, type DelegationContext } from './delegation/context.ts'
import { reviewing } from './delegation/reviewing.ts'
import { delegationSetup } from './delegation/setup.ts'
import { failure, output } from './shared/params.ts'
import type { DelegationOutput } from './contract/reports.ts'

export type { DelegationInput } from './delegation/context.ts'

/** The agent at work has handed off: its successor is started in its place. */
const handedOver = [
  'reapAgent',
  { type: 'recordHandoff', params: output<AgentReport> },
  'startSuccessor',
] as const

export const delegationMachine = /* @__PURE__ */ once(() =>
  delegationSetup.createMachine({
    id: 'delegation',
    description: 'One delegation to a subagent: authorised, run, reviewed; exactly one typed outcome.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as DelegationOutput,
    initial: 'authorising',
    states: {
      authorising,
      running: {
        description: 'The subagent is at work.',
        on: {
          'xstate.done.actor.timer:deadline': 'timingOut',
          'xstate.done.actor.*': [
            { guard: { type: 'isHandedOff', params: output }, actions: [...handedOver] },
            { target: 'reviewing', actions: { type: 'recordResult', params: output } },
          ],
          'xstate.error.actor.*': { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
          'child.held': [
            { guard: 'hasTimeout', target: 'suspended', actions: 'pauseDeadline' },
            { target: 'suspended' },
          ],
          timeout: { target: 'timingOut', actions: { type: 'recordLimit', params: ({ event }) => event } },
          'budget.spent': {
            target: 'expiring',
            actions: { type: 'expireAgent', params: ({ event }) => event },
          },
          cancel: {
            target: 'cancelling',
            actions: ['recordCancel', { type: 'cancelAgent', params: ({ event }) => event }],
          },
        },
      },
      suspended: {
        description: 'The subagent waits for a signal; the timeout is paused.',
        entry: 'announceHeld',
        exit: 'announceReleased',
        on: {
          'xstate.done.actor.timer:deadline': 'timingOut', // it fired before it could be paused
          'xstate.done.actor.*': [
            {
              guard: { type: 'isHandedOffUnderDeadline', params: output },
              target: 'running',
              actions: [...handedOver, 'unpauseDeadline'],
            },
            { guard: { type: 'isHandedOff', params: output }, target: 'running', actions: [...handedOver] },
            {
              guard: 'hasTimeout',
              target: 'reviewing',
              actions: ['unpauseDeadline', { type: 'recordResult', params: output }],
            },
            { target: 'reviewing', actions: { type: 'recordResult', params: output } },
          ],
          'xstate.error.actor.*': [
            {
              guard: 'hasTimeout',
              target: 'reviewing',
              actions: ['unpauseDeadline', { type: 'recordCrash', params: failure }],
            },
            { target: 'reviewing', actions: { type: 'recordCrash', params: failure } },
          ],
          'child.released': [
            { guard: 'hasTimeout', target: 'running', actions: 'unpauseDeadline' },
            { target: 'running' },
          ],
          timeout: { target: 'timingOut', actions: { type: 'recordLimit', params: ({ event }) => event } },
          'budget.spent': {
            target: 'expiring',
            actions: { type: 'expireAgent', params: ({ event }) => event },
          },
          cancel: {
            target: 'cancelling',
            actions: ['recordCancel', { type: 'cancelAgent', params: ({ event }) => event }],
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
          cancel: {
            target: 'cancelling',
            actions: ['recordCancel', { type: 'cancelAgent', params: ({ event }) => event }],
          },
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
      reviewing,
      succeeded: final('succeeded'),
      bailed: { ...final('bailed'), entry: [announceEnd('bailed'), 'announceBail'] },
      rejected: { ...final('rejected'), entry: 'announceRejection' },
      failed: final('failed'),
      timedOut: final('timedOut'),
      exhausted: final('exhausted'),
      cancelled: final('cancelled'),
    },
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
