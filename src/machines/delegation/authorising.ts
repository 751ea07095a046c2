/**
 * `authorising`: hooks may modify or reject the delegation before the subagent costs anything. A delegation that ends
 * here without a rejection announces its start with its end.
 */
import { answerOf } from '../shared/params.ts'
import { awaitingApproval } from './approving.ts'
import { hookData } from './context.ts'
import { hookFails, letGo } from './hooks.ts'
import { delegationSetup } from './setup.ts'

const start = answerOf('onDelegationStart')

export const authorising = /* @__PURE__ */ delegationSetup.createStateConfig({
  description: 'Hooks may modify or reject the delegation before the subagent costs anything.',
  initial: 'checkingDepth',
  on: {
    ...letGo(['announceStart']),
    'xstate.done.actor.timer:deadline': {
      target: '#delegation.timedOut',
      actions: ['expireEffects', 'recordLapse', 'announceStart'],
    },
  },
  states: {
    checkingDepth: {
      description:
        'Is the delegation within the depth of the tree, and are the files there that it names? A timeout covers the hooks as well.',
      always: [
        { guard: 'isTooDeep', target: '#delegation.exhausted', actions: ['recordDepth', 'announceStart'] },
        { guard: 'namesUnknownFile', target: '#delegation.rejected', actions: 'recordUnknownFile' },
        { guard: 'hasTimeout', target: 'choosingHook', actions: 'startDeadline' },
        { target: 'choosingHook' },
      ],
    },
    choosingHook: {
      description: 'Is there a hook that may modify or reject the delegation?',
      always: [{ guard: 'hasStartHook', target: 'askingStartHook' }, { target: 'choosingApproval' }],
    },
    askingStartHook: {
      description: 'onDelegationStart may modify or reject the delegation.',
      invoke: {
        src: 'hook',
        id: 'hook:onDelegationStart',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'onDelegationStart',
          scope: context.input.profile.hooks.onDelegationStart ?? 'agent',
          timeout: context.input.profile.hookTimeout,
          data: hookData(context),
        }),
        onDone: [
          {
            guard: { type: 'isRejected', params: start },
            target: '#delegation.rejected',
            actions: { type: 'recordRejection', params: start },
          },
          {
            target: 'choosingApproval',
            actions: { type: 'applyChanges', params: start },
          },
        ],
        onError: hookFails({ ignored: 'choosingApproval', otherwise: '#delegation.failed' }, [
          'announceStart',
        ]),
      },
    },
    choosingApproval: {
      description: 'Must a person approve the delegation?',
      always: [
        { guard: 'asksForApproval', target: 'askingPredicate' },
        { guard: 'requiresApproval', target: 'consulting' },
        { target: 'choosingHistory' },
      ],
    },
    askingPredicate: {
      description:
        'requireApproval decides whether a person must approve. If it fails, a person must, or the delegation fails.',
      invoke: {
        src: 'hook',
        id: 'hook:requireDelegationApproval',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'requireDelegationApproval',
          scope: context.input.profile.hooks.requireDelegationApproval ?? 'agent',
          timeout: context.input.profile.hookTimeout,
          data: hookData(context),
        }),
        onDone: [
          {
            guard: { type: 'saysYes', params: answerOf('requireDelegationApproval') },
            target: 'consulting',
          },
          { target: 'choosingHistory' },
        ],
        onError: hookFails({ ignored: 'consulting', otherwise: '#delegation.failed' }, ['announceStart']),
      },
    },
    consulting: {
      description: 'Has a person decided about this subagent for the rest of the run?',
      always: [
        { guard: 'isApprovedForRun', target: 'choosingHistory' },
        { guard: 'isDeniedForRun', target: '#delegation.rejected', actions: 'recordStandingDenial' },
        { guard: 'hasTimeout', target: 'awaitingApproval', actions: 'pauseDeadline' },
        { target: 'awaitingApproval' },
      ],
    },
    awaitingApproval: awaitingApproval({ approved: 'choosingHistory' }),
    choosingHistory: {
      description: 'Does a hook filter the history for the subagent?',
      always: [
        { guard: 'hasMessageFilter', target: 'filteringHistory' },
        { target: 'starting', actions: 'shareHistory' },
      ],
    },
    filteringHistory: {
      description:
        'A hook filters the history. If it fails and hook errors are ignored, no history is shared.',
      invoke: {
        src: 'hook',
        id: 'hook:messageFilter',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'messageFilter',
          scope: context.input.profile.hooks.messageFilter ?? 'agent',
          timeout: context.input.profile.hookTimeout,
          data: { ...hookData(context), options: context.input.profile.delegation },
        }),
        onDone: {
          target: 'starting',
          actions: {
            type: 'shareFiltered',
            params: answerOf('messageFilter'),
          },
        },
        onError: hookFails({ ignored: 'starting', otherwise: '#delegation.failed' }, ['announceStart']),
      },
    },
    starting: {
      always: { target: '#delegation.running', actions: ['announceStart', 'startAgent'] },
    },
  },
})
