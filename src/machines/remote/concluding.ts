/** `concluding`: the answer of the server is checked, and becomes the answer of the agent. */
import { checkingObject } from '../loop/states/checking-object.ts'
import { processing } from '../loop/states/processing.ts'
import { remoteSetup } from './setup.ts'

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
      checkingObject: checkingObject({ accepted: to.ended, ended: to.ended }, ['closeStep', completed]),
    },
  })
}
