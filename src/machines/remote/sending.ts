/** `sending`: a message goes to the server once, whatever happens to the requests and to the process. */
import { backingOff, retries } from '../shared/backing-off.ts'
import { output } from '../shared/params.ts'
import { recordCancel, recordOutOfTime } from '../loop/states/closing.ts'
import { modelFailed } from '../loop/states/failing.ts'
import { answerIn, givenAnswer, remoteSetup, taskOf } from './setup.ts'
import { doubtInput, findInput, messageInput, type InRemote, type RemoteContext } from './work.ts'

interface Targets {
  /** The server has the message, and is at work. */
  readonly begun: string
  /** The server answers at once, without a task. */
  readonly answered: string
  /** The message cannot be sent. */
  readonly failed: string
  /** The agent was cancelled. */
  readonly cancelled: string
  readonly outOfTime: string
  /** As those two, while the server may have begun a task that it has not named. */
  readonly calledOff: string
}

const notSent = {
  outcome: 'failed',
  error: { name: 'DeniedError', code: 'DENIED', message: 'A person decided that the message is not sent.' },
} as const

/** Milliseconds for the reply that names the task to cancel. */
const lastReply = 5_000

const begun = (target: string) =>
  ({
    guard: { type: 'hasBegun', params: output },
    target: `#${target}`,
    actions: { type: 'recordTask', params: taskOf },
  }) as const

export function sending(to: Targets) {
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
            {
              guard: { type: 'beginsTooLate', params: output },
              target: `#${to.calledOff}`,
              actions: { type: 'recordTask', params: taskOf },
            },
            { guard: 'isCalledOff', target: `#${to.calledOff}` },
            begun(to.begun),
            {
              guard: { type: 'isAnswered', params: output },
              target: `#${to.answered}`,
              actions: { type: 'takeAnswer', params: answerIn },
            },
            { guard: { type: 'isInDoubt', params: output }, target: 'doubting', actions: 'sendAgain' },
            { target: 'finding', actions: 'sendAgain' },
          ],
          onError: [{ guard: 'isCalledOff', target: `#${to.calledOff}` }, retries, fails],
        },
        initial: 'wanted',
        states: {
          wanted: {
            on: {
              cancel: [
                { guard: 'hasTask', target: `#${to.cancelled}` },
                { target: 'unwanted', actions: [...recordCancel, 'callOff'] },
              ],
              'budget.spent': [
                { guard: 'hasTask', target: `#${to.outOfTime}` },
                { target: 'unwanted', actions: [...recordOutOfTime, 'callOff'] },
              ],
            },
          },
          unwanted: {
            description: 'The task is not wanted any more. The reply names it, and it can be cancelled.',
            on: { cancel: {}, 'budget.spent': {} },
            invoke: {
              src: 'timer',
              id: 'timer:lastReply',
              input: () => ({ delay: lastReply }),
              onDone: `#${to.calledOff}`,
            },
          },
        },
      },
      doubting: {
        description:
          'The run was restored, and may have sent the message before. A person decides: look for it and send it, give the answer, or deny.',
        entry: ['announceDoubt', 'announceHeld'],
        exit: 'announceReleased',
        invoke: {
          src: 'signal',
          id: 'signal:interruption',
          input: ({ context }: InRemote) => doubtInput(context),
          onDone: [
            {
              guard: { type: 'givesAnswer', params: output },
              target: `#${to.answered}`,
              actions: [
                { type: 'announceVerdict', params: output },
                { type: 'takeAnswer', params: givenAnswer },
              ],
            },
            {
              guard: { type: 'saysYes', params: output },
              target: 'finding',
              actions: { type: 'announceVerdict', params: output },
            },
            {
              target: `#${to.failed}`,
              actions: [
                { type: 'announceVerdict', params: output },
                { type: 'end', params: notSent },
              ],
            },
          ],
        },
      },
      backingOff: backingOff((context: RemoteContext) => context.attempts, 'finding'),
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
