/** `reviewing`: a user hook sees the result, and may bail. */
import { totalUsage } from '../../actors/usage.ts'
import { Derived } from '../../actors/values/derived.ts'
import { arrow } from '../shared/arrow.ts'
import { answerOf } from '../shared/params.ts'
import { hookData, reviewTimeout, workOf, type DelegationContext } from './context.ts'
import { hookFails, letGo, type EarlyEnds } from './hooks.ts'
import { delegationSetup } from './setup.ts'
import { profileHook } from '../shared/hook.ts'

const review = answerOf('onDelegationComplete')

const tooLate = ({ context }: { context: DelegationContext }) => reviewTimeout(context)

/** The states of the outcomes. */
interface Targets extends EarlyEnds {
  readonly succeeded: string
  readonly bailed: string
  readonly failed: string
  readonly exhausted: string
}

export function reviewing(to: Targets) {
  const failed = `#${to.failed}` as const
  return delegationSetup.createStateConfig({
    description: 'A hook sees the result, and may bail.',
    initial: 'choosing',
    on: {
      ...letGo(to),
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
          target: failed,
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
          ...profileHook('onDelegationComplete', (context: DelegationContext) => ({
            ...hookData(context),
            outcome: context.outcome,
            text: context.result?.text ?? '',
            error: context.error,
            usage: totalUsage(context.result?.usage ?? {}),
            work: new Derived(workOf(context)),
          })),
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
          arrow('hookBails', to.bailed),
          arrow({ type: 'endsAs', params: { outcome: 'succeeded' } } as const, to.succeeded),
          arrow({ type: 'endsAs', params: { outcome: 'exhausted' } } as const, to.exhausted),
          arrow({ type: 'endsAs', params: { outcome: 'timedOut' } } as const, to.timedOut),
          arrow({ type: 'endsAs', params: { outcome: 'cancelled' } } as const, to.cancelled),
          { target: failed },
        ],
      },
    },
  })
}
