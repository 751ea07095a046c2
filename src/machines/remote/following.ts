/** `following`: the server is at work on the task. */
import { backingOff, retries } from '../shared/backing-off.ts'
import { output } from '../shared/params.ts'
import { modelFailed } from '../loop/states/failing.ts'
import { answerIn, endIn, questionIn, remoteSetup } from './setup.ts'
import { followInput, type InRemote, type RemoteContext } from './work.ts'

interface Targets {
  readonly asks: string
  readonly answered: string
  /** The task has ended without an answer. */
  readonly ended: string
  /** Nothing more can be learnt of the task. */
  readonly failed: string
}

export function following(to: Targets) {
  return remoteSetup.createStateConfig({
    description: 'The server is at work on the task.',
    initial: 'watching',
    states: {
      watching: {
        description: 'Waits until the task ends or asks.',
        invoke: {
          src: 'remote',
          id: 'remote:follow',
          input: ({ context }: InRemote) => followInput(context),
          onDone: [
            {
              guard: { type: 'isAsked', params: output },
              target: `#${to.asks}`,
              actions: ['forgetFailures', { type: 'openQuestion', params: questionIn }],
            },
            {
              guard: { type: 'isAnswered', params: output },
              target: `#${to.answered}`,
              actions: { type: 'takeAnswer', params: answerIn },
            },
            {
              guard: { type: 'hasEnded', params: output },
              target: `#${to.ended}`,
              actions: [
                'recordOver',
                { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: endIn({ event }) }) },
                { type: 'announceError', params: endIn },
              ],
            },
            { target: 'watching', reenter: true, actions: 'forgetFailures' },
          ],
          onError: [retries, { target: `#${to.failed}`, actions: modelFailed }],
        },
      },
      backingOff: backingOff((context: RemoteContext) => context.attempts, 'watching'),
    },
  })
}
