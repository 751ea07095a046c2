/** `configuring`: user functions compute parts of an agent, once, and complete its profile. */
import { answerOf } from '../../shared/params.ts'
import { hook } from '../../shared/hook.ts'
import type { LoopContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { endAndAnnounceFailure } from './failing.ts'

/** Within `preparing`: goes on to the sibling `to.configured` with a profile and opening messages that are complete. */
export function configuring(to: { readonly configured: string; readonly ended: string }) {
  return loopSetup.createStateConfig({
    description: 'User functions compute parts of the agent. If one fails, the agent fails.',
    invoke: {
      ...hook('configure', ({ input: { profile } }: LoopContext) => ({
        agent: profile.id,
        scope: 'agent',
        timeout: profile.hookTimeout,
        data: { parts: profile.dynamic },
      })),
      onDone: {
        target: to.configured,
        actions: { type: 'recordConfiguration', params: answerOf('configure') },
      },
      onError: { target: `#${to.ended}`, actions: endAndAnnounceFailure },
    },
  })
}
