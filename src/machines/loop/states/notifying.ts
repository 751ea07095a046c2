/** `notifying`: a hook observes a reply of the model, and can change nothing. */
import { Derived } from '../../../actors/values/derived.ts'
import type { InContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { announceFailure } from './failing.ts'

/** Goes on to `next`, even if `onStepFinish` throws. */
export function notifying<const Next extends string>(next: Next) {
  return loopSetup.createStateConfig({
    description: 'onStepFinish observes: an exception is announced and changes nothing.',
    invoke: {
      src: 'hook',
      id: 'hook:onStepFinish',
      input: ({ context }: InContext) => ({
        agent: context.input.profile.id,
        hook: 'onStepFinish',
        scope: context.input.profile.hooks.onStepFinish ?? 'agent',
        timeout: context.input.profile.hookTimeout,
        data: { step: context.step, reply: context.reply, loop: new Derived(context) },
      }),
      onDone: next,
      onError: { target: next, actions: announceFailure },
    },
  })
}
