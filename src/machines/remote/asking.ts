/** `asking`: a person answers the question of the server. */
import { output } from '../shared/params.ts'
import { remoteSetup } from './setup.ts'
import { signalInput, type InRemote } from './work.ts'

interface Targets {
  readonly answered: string
  /** The person refuses to answer. */
  readonly refused: string
}

const answered = { type: 'answerQuestion', params: output } as const

const refusal = {
  outcome: 'failed',
  error: { name: 'DeniedError', code: 'DENIED', message: 'The question of the agent was not answered.' },
} as const

export function asking(to: Targets) {
  return remoteSetup.createStateConfig({
    description: 'The server asks, and a person answers.',
    entry: 'announceHeld',
    exit: 'announceReleased',
    invoke: {
      src: 'signal',
      id: 'signal:question',
      input: ({ context }: InRemote) => signalInput(context),
      onDone: [
        {
          guard: { type: 'refusesAnswer', params: output },
          target: `#${to.refused}`,
          actions: [answered, { type: 'end', params: refusal }],
        },
        { target: `#${to.answered}`, actions: answered },
      ],
    },
  })
}
