/** `concluding`: the answer of the server is checked, and becomes the answer of the agent. */
import type { ErrorData } from '../../errors.ts'
import { answerOf } from '../shared/params.ts'
import { processing } from '../loop/states/processing.ts'
import { endFailed } from '../loop/states/failing.ts'
import { remoteSetup } from './setup.ts'
import type { InRemote } from './work.ts'

export function concluding(to: { readonly ended: string }) {
  const ended = `#${to.ended}` as const
  const completed = { type: 'end', params: { outcome: 'completed' } } as const
  return remoteSetup.createStateConfig({
    description: 'The answer is checked, and becomes the answer of the agent.',
    entry: 'closeTask',
    initial: 'processing',
    states: {
      processing: processing({ accepted: 'concluding.interpreting', stepEnded: to.ended }, [
        'acceptDraft',
        'announceAnswer',
      ]),
      interpreting: {
        description: 'Was an answer of a shape requested?',
        always: [
          { guard: 'isShaped', target: 'checkingObject' },
          { target: ended, actions: ['closeStep', completed] },
        ],
      },
      checkingObject: {
        description: 'Does the answer have the requested shape?',
        invoke: {
          src: 'hook',
          id: 'hook:validateObject',
          input: ({ context }: InRemote) => ({
            agent: context.input.profile.id,
            hook: 'validateObject',
            scope: context.input.profile.hooks.validateObject ?? 'agent',
            timeout: context.input.profile.hookTimeout,
            data: { text: context.reply?.text ?? '' },
          }),
          onDone: [
            {
              guard: { type: 'hasShape', params: answerOf('validateObject') },
              target: ended,
              actions: [{ type: 'recordObject', params: answerOf('validateObject') }, 'closeStep', completed],
            },
            {
              target: ended,
              actions: [
                'closeStep',
                {
                  type: 'end',
                  params: ({ event }) => ({
                    outcome: 'failed',
                    error: shapeless(answerOf('validateObject')({ event }).problem),
                  }),
                },
              ],
            },
          ],
          onError: { target: ended, actions: ['closeStep', endFailed] },
        },
      },
    },
  })
}

function shapeless(problem: string | null): ErrorData {
  const message = `The answer does not have the requested shape: ${problem}`
  return { name: 'InvalidObjectError', code: 'INVALID_OBJECT', message }
}
