/** What a function of the user did beside its answer, and the code that the problem has for it. */
import type { ProblemCode } from '../../problem-codes.ts'

export interface Deed {
  readonly verb: string
  readonly code: ProblemCode
}

export const listenerThrew: Deed = {
  verb: 'threw in a listener of its signal',
  code: 'SIGNAL_LISTENER_THREW',
}
