/** `saving`: the exchange becomes part of the thread before the run ends. A failure changes no outcome. */
import { saveInput } from '../changes/memory.ts'
import type { InContext } from '../changes/context.ts'
import { loopSetup } from '../setup.ts'
import { announceFailure } from './failing.ts'

/** Within `finishing`: goes on to its state `saved`. A cancel does not wait for a store. */
export const saving = /* @__PURE__ */ loopSetup.createStateConfig({
  description: 'The exchange is saved in the thread. A failure is announced, and the outcome stays.',
  invoke: {
    src: 'memory',
    id: 'memory:save',
    input: ({ context }: InContext) => saveInput(context),
    onDone: 'saved',
    onError: { target: 'saved', actions: announceFailure },
  },
  on: { cancel: 'settling' },
})
