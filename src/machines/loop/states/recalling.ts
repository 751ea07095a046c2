/** `recalling`: the memory completes the opening messages. An agent whose memory fails does not begin. */
import type { Recalled } from '../../../actors/effects/effect-kinds.ts'
import { recallInput } from '../changes/memory.ts'
import type { InContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { endAndAnnounceFailure } from './failing.ts'

const recalled = ({ event }: { event: { readonly output: unknown } }) => event.output as Recalled

/** Within `preparing`: goes on to the sibling `to.recalled` with complete opening messages. */
export function recalling(to: { readonly recalled: string; readonly ended: string }) {
  return loopSetup.createStateConfig({
    description: 'The thread and the note on the resource are read. If that fails, the agent fails.',
    invoke: {
      src: 'memory',
      id: 'memory:recall',
      input: ({ context }: InContext) => recallInput(context),
      onDone: { target: to.recalled, actions: { type: 'recordRecalled', params: recalled } },
      onError: { target: `#${to.ended}`, actions: endAndAnnounceFailure },
    },
  })
}
