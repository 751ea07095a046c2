/** `cancelling`, `expiring`, `withdrawing`: the agent ends before its task does, and its server is told. */
import { optionalArrow } from '../shared/arrow.ts'
import { failure, output } from '../shared/params.ts'
import { remoteSetup, taskOf } from './setup.ts'
import { cancelInput, findInput, type InRemote } from './work.ts'

interface Targets {
  /** The server was told, or cannot be told. */
  readonly left: string
  /** The server has nothing to do. */
  readonly over?: string
}

export function leaving(to: Targets) {
  const left = `#${to.left}` as const
  return remoteSetup.createStateConfig({
    initial: 'choosing',
    states: {
      choosing: {
        description: 'Is the server at work on the task?',
        always: [
          ...optionalArrow('isOver', to.over),
          { guard: 'hasTask', target: 'telling' },
          { target: 'finding' },
        ],
      },
      finding: {
        description: 'Has the message arrived, and begun a task?',
        invoke: {
          src: 'remote',
          id: 'remote:find',
          input: ({ context }: InRemote) => findInput(context),
          onDone: [
            {
              guard: { type: 'hasBegun', params: output },
              target: 'telling',
              actions: { type: 'recordTask', params: taskOf },
            },
            { target: left },
          ],
          onError: { target: left, actions: { type: 'announceError', params: failure } },
        },
      },
      telling: {
        description: 'The server is asked to cancel the task.',
        invoke: {
          src: 'remote',
          id: 'remote:cancel',
          input: ({ context }: InRemote) => cancelInput(context),
          onDone: left,
          onError: { target: left, actions: { type: 'announceError', params: failure } },
        },
      },
    },
  })
}
