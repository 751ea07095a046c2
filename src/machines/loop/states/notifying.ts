/** `notifying`: the user is shown a reply of the model, and can change nothing. */
import { failure } from '../../shared/params.ts'
import { loopSetup } from '../setup.ts'

/** Goes on to `next`, whatever `onStepFinish` does. */
export function notifying<const Next extends string>(next: Next) {
  return loopSetup.createStateConfig({
    description: 'onStepFinish observes: what it throws is announced and changes nothing.',
    invoke: {
      src: 'hook',
      id: 'hook:onStepFinish',
      input: ({ context }) => ({
        agent: context.input.profile.id,
        hook: 'onStepFinish',
        scope: context.input.profile.hooks.onStepFinish ?? 'agent',
        timeout: context.input.profile.hookTimeout,
        data: { step: context.step, reply: context.reply },
      }),
      onDone: next,
      onError: { target: next, actions: { type: 'announceError', params: failure } },
    },
  })
}
