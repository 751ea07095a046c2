/** `keeping`: the text so far of a cut answer is put on record before the run ends. A failure changes no outcome. */
import type { CutAnswer } from '../../../actors/effects/effect-kinds.ts'
import type { InContext } from '../changes/context.ts'
import { partialInput } from '../changes/memory.ts'
import { loopSetup } from '../setup.ts'
import { announceFailure } from './failing.ts'

interface Cut {
  readonly event: { readonly output: unknown }
}

const cutText = ({ event }: Cut) => ({ text: (event.output as CutAnswer | null)?.partialText ?? '' })

const recordNone = { type: 'recordPartial', params: { text: '' } } as const

/** Within `finishing`: goes back to its state `choosing`. The text is in this process, or nowhere: a cancel waits for it. */
export const keeping = /* @__PURE__ */ loopSetup.createStateConfig({
  description: 'The answer may have been cut. Its text so far is put on record.',
  invoke: {
    src: 'memory',
    id: 'memory:partial',
    input: ({ context }: InContext) => partialInput(context),
    onDone: { target: 'choosing', actions: { type: 'recordPartial', params: cutText } },
    onError: { target: 'choosing', actions: [recordNone, announceFailure] },
  },
  on: { cancel: {} },
})
