/** `notifying`: a hook observes a reply of the model, and can change nothing. */
import { Derived } from '../../../actors/values/derived.ts'
import type { LoopContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { announceFailure } from './failing.ts'
import { profileHook } from '../../shared/hook.ts'

/** Goes on to `next`, even if `onStepFinish` throws. */
export function notifying<const Next extends string>(next: Next) {
  return loopSetup.createStateConfig({
    description: 'onStepFinish observes: an exception is announced and changes nothing.',
    invoke: {
      ...profileHook('onStepFinish', (context: LoopContext) => ({
        step: context.step,
        reply: context.reply,
        loop: new Derived(context),
      })),
      onDone: next,
      onError: { target: next, actions: announceFailure },
    },
  })
}
