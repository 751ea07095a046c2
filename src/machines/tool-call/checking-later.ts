/** `checkingLater`: the schema of the tool answers asynchronously. */
import { answerOf } from '../shared/params.ts'
import { callHook } from './call-hook.ts'
import { toolCallSetup } from './setup.ts'

/** Goes on to the sibling `checking`, which reads the answer. `failed`: the transition when there is none. */
export function checkingLater<const Failed extends object>(failed: Failed) {
  return toolCallSetup.createStateConfig({
    description: 'The schema of the tool answers asynchronously.',
    invoke: {
      ...callHook('validateArguments'),
      onDone: { target: 'checking', actions: { type: 'recordCheck', params: answerOf('validateArguments') } },
      onError: failed,
    },
  })
}
