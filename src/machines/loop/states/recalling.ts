/** `recalling`: what the agent remembers comes before its task. An agent that cannot remember does not begin. */
import type { Recalled } from '../../../actors/effect-kinds.ts'
import { failure } from '../../shared/params.ts'
import { recallInput } from '../changes/memory.ts'
import { loopSetup } from '../setup.ts'

const recalled = ({ event }: { event: { readonly output: unknown } }) => event.output as Recalled

/** Goes on to `next` with the opening messages complete. */
export function recalling<const Next extends string>(next: Next) {
  return loopSetup.createStateConfig({
    description: 'The thread and the note on the resource are read. Where that fails, so does the agent.',
    invoke: {
      src: 'memory',
      id: 'memory:recall',
      input: ({ context }) => recallInput(context),
      onDone: { target: next, actions: { type: 'recordRecalled', params: recalled } },
      onError: {
        target: '#finishing',
        actions: [
          { type: 'end', params: ({ event }) => ({ outcome: 'failed', error: failure({ event }) }) },
          { type: 'announceError', params: failure },
        ],
      },
    },
  })
}
