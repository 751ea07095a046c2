/** `saving`: the exchange is kept in the thread before the run ends. What goes wrong here changes no outcome. */
import { failure } from '../../shared/params.ts'
import { saveInput } from '../changes/memory.ts'
import { loopSetup } from '../setup.ts'

const announceFailure = { type: 'announceError' as const, params: failure }

/** Within `finishing`: goes on to its states `notifying` and `settling`. A cancel does not wait for a store. */
export const saving = /* @__PURE__ */ loopSetup.createStateConfig({
  description: 'The exchange is kept in the thread. A failure is announced, and the outcome stands.',
  invoke: {
    src: 'memory',
    id: 'memory:save',
    input: ({ context }) => saveInput(context),
    onDone: [{ guard: 'hasFinishHook', target: 'notifying' }, { target: 'settling' }],
    onError: [
      { guard: 'hasFinishHook', target: 'notifying', actions: announceFailure },
      { target: 'settling', actions: announceFailure },
    ],
  },
  on: { cancel: 'settling' },
})
