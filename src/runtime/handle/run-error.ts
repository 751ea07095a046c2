/** An error of a run, as its result lists it. */
import type { EffectKind } from '../../actors/effect-names.ts'
import type { ErrorData } from '../../errors.ts'

/** An error of a run of any outcome. */
export interface RunError {
  /** Ids of the actors from the root agent to the one in which the error arose, joined with "/". */
  readonly path: string
  /** The id of the agent. */
  readonly agent: string
  readonly error: ErrorData
  /** The kind of effect that failed. Absent where a chart found the error, for example that a deadline has passed. */
  readonly effect?: { readonly kind: EffectKind }
}
