/** `fallingBack`: a state between the failure of a model and the call of the next one of its row. */
import { refusalIn } from '../../actors/models/fallbacks.ts'
import type { EffectOutcome } from '../../actors/effects/effect-kinds.ts'
import type { ErrorData } from '../../errors.ts'
import { failure, output } from './params.ts'

export interface Replied {
  readonly event: { readonly output: EffectOutcome<'model'> }
}

/** A reply that a processor has refused as it streamed is judged by that processor. */
function refusalOf({ event }: Replied): ErrorData | undefined {
  const { called, screening } = event.output
  const refusal = screening === undefined ? refusalIn(event.output) : undefined
  return refusal === undefined || called === undefined ? refusal : { ...refusal, called }
}

/** After an error that is not tried again: to the sibling `fallingBack`, where another model is left. */
export const fallsBack = {
  guard: { type: 'mayFallBack', params: failure },
  target: 'fallingBack',
  actions: { type: 'fallBack', params: failure },
} as const

/** As `fallsBack`, after a reply that is a refusal: nothing of it is kept but its usage. */
export const refusalFallsBack = {
  guard: { type: 'mayFallBack', params: refusalOf },
  target: 'fallingBack',
  actions: [
    { type: 'payRefusal', params: output<EffectOutcome<'model'>> },
    { type: 'fallBack', params: (replied: Replied) => refusalOf(replied) as ErrorData }, // the guard has found it
  ],
} as const

/** `next`: the sibling that calls the model. */
export function fallingBack<const Next>(next: Next) {
  return { description: 'The model has failed. The next one of the row is called.', always: next } as const
}
