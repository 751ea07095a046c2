/** `configuring`: parts of an agent that are functions of the run are computed, once, and complete its profile. */
import { answerOf } from '../../shared/params.ts'
import { loopSetup } from '../setup.ts'
import { failed } from './failing.ts'

/** Within `preparing`: goes on to its state `configured` with a profile and opening messages that are complete. */
export function configuring(to: { readonly configured: string; readonly ended: string }) {
  return loopSetup.createStateConfig({
    description: 'Functions compute parts of the agent. Where one fails, so does the agent.',
    invoke: {
      src: 'hook',
      id: 'hook:configure',
      input: ({ context }) => ({
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
      onError: { target: `#${to.ended}`, actions: failed },
    },
  })
}
