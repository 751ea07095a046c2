/** `configuring`: user functions compute parts of an agent, once, and complete its profile. */
import { answerOf } from '../../shared/params.ts'
import type { InContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { endAndAnnounceFailure } from './failing.ts'

/** Within `preparing`: goes on to the sibling `to.configured` with a profile and opening messages that are complete. */
export function configuring(to: { readonly configured: string; readonly ended: string }) {
  return loopSetup.createStateConfig({
    description: 'User functions compute parts of the agent. If one fails, the agent fails.',
    invoke: {
      src: 'hook',
      id: 'hook:configure',
      input: ({ context }: InContext) => ({
        agent: context.input.profile.id,
        hook: 'configure',
        scope: 'agent',
        timeout: context.input.profile.hookTimeout,
        data: { parts: context.input.profile.dynamic },
      }),
      onDone: {
        target: to.configured,
        actions: { type: 'recordConfiguration', params: answerOf('configure') },
      },
      onError: { target: `#${to.ended}`, actions: endAndAnnounceFailure },
    },
  })
}
