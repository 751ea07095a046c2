/** `reviewing`: a user hook sees the result, and may bail. */
import { totalUsage } from '../../actors/usage.ts'
import { Derived } from '../../actors/values/derived.ts'
import { answerOf } from '../shared/params.ts'
import { hookData, reviewTimeout, workOf, type DelegationContext } from './context.ts'
import { hookFails, letGo } from './hooks.ts'
import { delegationSetup } from './setup.ts'

const review = answerOf('onDelegationComplete')

const tooLate = ({ context }: { context: DelegationContext }) => reviewTimeout(context)

export const reviewing = /* @__PURE__ */ delegationSetup.createStateConfig({
  description: 'A hook sees the result, and may bail.',
  initial: 'choosing',
  on: {
    ...letGo(),
    'xstate.done.actor.timer:deadline': [
      {
        guard: 'ignoresHookErrors',
        target: '.settling',
        actions: [
          'expireEffects',
          { type: 'recordHookError', params: tooLate },
          { type: 'announceHookError', params: tooLate },
        ],
      },
      {
        target: '#delegation.failed',
        actions: ['expireEffects', { type: 'recordHookFailure', params: tooLate }],
      },
    ],
  },
  states: {
    choosing: {
      description: 'Is there a hook to review the result?',
      always: [{ guard: 'callsCompleteHook', target: 'askingCompleteHook' }, { target: 'settling' }],
    },
    askingCompleteHook: {
      description: 'onDelegationComplete may replace the result, add feedback, or bail.',
      invoke: {
        src: 'hook',
        id: 'hook:onDelegationComplete',
        input: ({ context }) => ({
          agent: context.input.profile.id,
          hook: 'onDelegationComplete',
          scope: context.input.profile.hooks.onDelegationComplete ?? 'agent',
          timeout: context.input.profile.hookTimeout,
          data: {
            ...hookData(context),
            outcome: context.outcome,
            text: context.result?.text ?? '',
            error: context.error,
            usage: totalUsage(context.result?.usage ?? {}),
            work: new Derived(workOf(context)),
          },
        }),
        onDone: [
          {
            guard: { type: 'givesFeedback', params: review },
            target: 'settling',
            actions: [
              { type: 'recordReview', params: review },
              { type: 'announceFeedback', params: review },
            ],
          },
          { target: 'settling', actions: { type: 'recordReview', params: review } },
        ],
        onError: hookFails({ ignored: 'settling', otherwise: 'settling' }),
      },
    },
    settling: {
      description: 'The outcome names the final state.',
      entry: 'stopDeadline',
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
