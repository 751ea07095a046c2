/** `rechecking`: a person has approved the call with other arguments, which must fit the schema of the tool too. */
import { expected } from '../../actors/toolset.ts'
import { answerOf, failure } from '../shared/params.ts'
import { toolCallSetup } from './setup.ts'

export const rechecking = /* @__PURE__ */ toolCallSetup.createStateConfig({
  description:
    'A person has changed the arguments. They must fit the schema of the tool, or the question is asked again.',
  initial: 'checking',
  states: {
    checking: {
      description: 'Do the changed arguments fit?',
      always: [
        { guard: 'needsAsynchronousCheck', target: 'checkingLater' },
        { guard: 'isInvalid', target: '#awaitingApproval', actions: ['announceMisfit', 'dropChange'] },
        { target: '#executing', actions: 'announceChange' },
      ],
    },
    checkingLater: {
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
        onDone: {
          target: 'checking',
          actions: { type: 'recordCheck', params: answerOf('validateArguments') },
        },
        onError: { target: '#failed', actions: { type: 'recordError', params: failure } },
      },
    },
  },
})
