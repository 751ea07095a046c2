/** `configuring`: where parts of an agent are functions of the run, they are asked, once, and the agent is made of it. */
import { answerOf, failure } from '../../shared/params.ts'
import { loopSetup } from '../setup.ts'

/** Goes on to `next` with a profile and opening messages that are complete. */
export function configuring<const Next extends string>(next: Next) {
  return loopSetup.createStateConfig({
    description: 'The functions that make parts of the agent are asked. Where one fails, so does the agent.',
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
      onDone: { target: next, actions: { type: 'recordConfiguration', params: answerOf('configure') } },
      onError: {
        target: '#finishing',
        actions: [
          { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
          { type: 'announceError', params: failure },
        ],
      },
    },
  })
}
