/** `reviewing`: the user sees what came of it, and may bail. */
import { totalUsage } from '../../actors/usage.ts'
import { answerOf } from '../params.ts'
import { hookData } from './context.ts'
import { hookFails, letGo } from './hooks.ts'
import { delegationSetup } from './setup.ts'

export const reviewing = /* @__PURE__ */ delegationSetup.createStateConfig({
  entry: 'stopDeadline',
  initial: 'choosing',
  on: letGo,
  states: {
    choosing: {
      always: [{ guard: 'hasCompleteHook', target: 'askingCompleteHook' }, { target: 'settling' }],
    },
    askingCompleteHook: {
      invoke: {
        src: 'hook',
        id: 'hook:onDelegationComplete',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'onDelegationComplete',
          scope: context.input.profile.hooks.onDelegationComplete ?? 'agent',
          data: {
            ...hookData(context),
            outcome: context.childOutcome,
            text: context.result?.text ?? '',
            error: context.error,
            usage: totalUsage(context.result?.usage ?? {}),
          },
        }),
        onDone: {
          target: 'settling',
          actions: { type: 'recordReview', params: answerOf('onDelegationComplete') },
        },
        onError: hookFails({ ignored: 'settling', otherwise: 'settling' }),
      },
    },
    settling: {
      always: [
        { guard: 'isBailed', target: '#delegation.bailed' },
        { guard: { type: 'endsAs', params: { outcome: 'succeeded' } }, target: '#delegation.succeeded' },
        { guard: { type: 'endsAs', params: { outcome: 'exhausted' } }, target: '#delegation.exhausted' },
        { guard: { type: 'endsAs', params: { outcome: 'timedOut' } }, target: '#delegation.timedOut' },
        { guard: { type: 'endsAs', params: { outcome: 'cancelled' } }, target: '#delegation.cancelled' },
        { target: '#delegation.failed' },
      ],
    },
  },
})
