/** `authorising`: the user may modify or reject before the subagent costs anything. */
import { answerOf } from '../params.ts'
import { hookData } from './context.ts'
import { hookFails, letGo } from './hooks.ts'
import { delegationSetup } from './setup.ts'

const start = answerOf('onDelegationStart')

export const authorising = /* @__PURE__ */ delegationSetup.createStateConfig({
  description: 'The user may modify or reject before the subagent costs anything.',
  initial: 'checkingDepth',
  on: letGo,
  states: {
    checkingDepth: {
      always: [
        { guard: 'isTooDeep', target: '#delegation.exhausted', actions: 'recordDepth' },
        { guard: 'hasStartHook', target: 'askingStartHook' },
        {
          guard: 'startsAtOnce',
          target: '#delegation.running',
          actions: ['shareHistory', 'announceStart', 'startAgent'],
        },
        { target: 'choosingHistory' },
      ],
    },
    askingStartHook: {
      invoke: {
        src: 'hook',
        id: 'hook:onDelegationStart',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'onDelegationStart',
          scope: context.input.profile.hooks.onDelegationStart ?? 'agent',
          data: hookData(context),
        }),
        onDone: [
          {
            guard: { type: 'isRejected', params: start },
            target: '#delegation.rejected',
            actions: { type: 'recordRejection', params: start },
          },
          {
            target: 'choosingHistory',
            actions: { type: 'applyChanges', params: start },
          },
        ],
        onError: hookFails({ ignored: 'choosingHistory', otherwise: '#delegation.failed' }),
      },
    },
    choosingHistory: {
      always: [
        { guard: 'hasMessageFilter', target: 'filteringHistory' },
        { target: 'starting', actions: 'shareHistory' },
      ],
    },
    filteringHistory: {
      description:
        'The filter sees the modified prompt. Where it fails and that is ignored, nothing is shared.',
      invoke: {
        src: 'hook',
        id: 'hook:messageFilter',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'messageFilter',
          scope: context.input.profile.hooks.messageFilter ?? 'agent',
          data: { ...hookData(context), options: context.input.profile.delegation },
        }),
        onDone: {
          target: 'starting',
          actions: {
            type: 'shareFiltered',
            params: answerOf('messageFilter'),
          },
        },
        onError: hookFails({ ignored: 'starting', otherwise: '#delegation.failed' }),
      },
    },
    starting: {
      always: [
        {
          guard: 'hasTimeout',
          target: '#delegation.running',
          actions: ['announceStart', 'startAgent', 'startDeadline'],
        },
        { target: '#delegation.running', actions: ['announceStart', 'startAgent'] },
      ],
    },
  },
})
