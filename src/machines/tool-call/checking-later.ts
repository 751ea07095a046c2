/** `checkingLater`: the schema of the tool answers asynchronously. */
import { expected } from '../../actors/toolset.ts'
import { answerOf } from '../shared/params.ts'
import { toolCallSetup } from './setup.ts'

/** Goes on to the sibling `checking`, which reads the answer. `failed`: the transition when there is none. */
export function checkingLater<const Failed extends object>(failed: Failed) {
  return toolCallSetup.createStateConfig({
    description: 'The schema of the tool answers asynchronously.',
    invoke: {
      src: 'hook',
      id: 'hook:validateArguments',
      input: ({ context }) => ({
        agent: context.agent,
        hook: 'validateArguments',
        scope: 'agent',
        timeout: context.hookTimeout,
        data: { tool: context.call.name, args: context.call.args, ...expected(context.toolset) },
      }),
      onDone: { target: 'checking', actions: { type: 'recordCheck', params: answerOf('validateArguments') } },
      onError: failed,
    },
  })
}
