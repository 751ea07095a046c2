/**
 * `preparing`: what stands before the first model call. An agent that depends on the run is made, memory is recalled,
 * then input processors look at it all.
 */
import { answerOf, failure } from '../../shared/params.ts'
import { configuring } from './configuring.ts'
import { spentForGood } from './expiring.ts'
import { verdicts } from './processing.ts'
import { recalling } from './recalling.ts'
import { loopSetup } from '../setup.ts'

/** `preparing`, and then `next`. */
export function preparing<const Next extends string>(next: Next) {
  return loopSetup.createStateConfig({
    description:
      'What the agent begins with is made ready. Until it is, no model is asked, not even for a last word.',
    on: spentForGood,
    initial: 'choosing',
    states: {
      choosing: {
        always: [{ guard: 'isDynamic', target: 'configuring' }, { target: 'configured' }],
      },
      configuring: configuring('configured'),
      configured: {
        always: [
          { guard: 'hasMemory', target: 'recalling' },
          { guard: 'hasInputProcessorLeft', target: 'processing' },
          { target: next },
        ],
      },
      recalling: recalling('judging'),
      processing: {
        description: 'Input processors look at the opening messages.',
        invoke: {
          src: 'hook',
          id: 'hook:processInput',
          input: ({ context }) => ({
            agent: context.input.profile.id,
            hook: 'processInput',
            scope: context.input.profile.hooks.processInput ?? 'agent',
            timeout: context.input.profile.hookTimeout,
            data: {
              processors: context.input.profile.processors.input,
              next: context.screening?.next ?? 0,
              task: context.input.task,
              messages: context.messages,
            },
          }),
          onDone: { target: 'judging', actions: { type: 'recordInput', params: answerOf('processInput') } },
          onError: [
            {
              guard: { type: 'hasTimedOut', params: failure },
              target: 'judging',
              actions: { type: 'recordProcessorTimeout', params: failure },
            },
            { target: 'judging', actions: { type: 'recordScreeningFailure', params: failure } },
          ],
        },
      },
      judging: {
        description: 'What have the processors said so far, and who is to be asked yet?',
        always: [...verdicts(), { guard: 'hasInputProcessorLeft', target: 'processing' }, { target: next }],
      },
    },
  })
}
