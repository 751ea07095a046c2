/** `sending`: a message goes to the server once, whatever happens to the requests and to the process. */
import { backoff } from '../shared/backoff.ts'
import { failure, output } from '../shared/params.ts'
import { modelFailed } from '../loop/states/failing.ts'
import { answerIn, remoteSetup, taskOf } from './setup.ts'
import { findInput, messageInput, type InRemote } from './work.ts'

interface Targets {
  /** The server has the message, and is at work. */
  readonly begun: string
  /** The server answers at once, without a task. */
  readonly answered: string
  /** The message cannot be sent. */
  readonly failed: string
}

const begun = (target: string) =>
  ({
    guard: { type: 'hasBegun', params: output },
    target: `#${target}`,
    actions: { type: 'recordTask', params: taskOf },
  }) as const

export function sending(to: Targets) {
  const retries = {
    guard: { type: 'mayRetry', params: failure },
    target: 'backingOff',
    actions: [
      { type: 'countFailure', params: failure },
      { type: 'announceRetry', params: failure },
    ],
  } as const
  const fails = { target: `#${to.failed}`, actions: modelFailed } as const
  return remoteSetup.createStateConfig({
    description: 'A message goes to the server: the task, or the answer of a person.',
    entry: 'beginMessage',
    initial: 'calling',
    states: {
      calling: {
        description: 'The message is sent.',
        invoke: {
          src: 'remote',
          id: 'remote:send',
          input: ({ context }: InRemote) => messageInput(context),
          onDone: [
            begun(to.begun),
            {
              guard: { type: 'isAnswered', params: output },
              target: `#${to.answered}`,
              actions: { type: 'takeAnswer', params: answerIn },
            },
            { target: 'finding' },
          ],
          onError: [retries, fails],
        },
      },
      backingOff: {
        description: 'Waits before another attempt, after a retryable error.',
        invoke: {
          src: 'timer',
          id: 'timer:backoff',
          input: ({ context }: InRemote) => backoff(context.attempts.failures, context.attempts.lastFailure),
          onDone: 'finding',
        },
      },
      finding: {
        description: 'Has the message arrived? If not, it is sent again, under the same id.',
        invoke: {
          src: 'remote',
          id: 'remote:find',
          input: ({ context }: InRemote) => findInput(context),
          onDone: [begun(to.begun), { target: 'calling' }],
          onError: [retries, fails],
        },
      },
    },
  })
}
