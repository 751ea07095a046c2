/** The call of an effect that an adapter brings. */
import type { JsonValue } from '../values/json.ts'

/** One attempt of an effect of your own. */
export interface EffectCall {
  readonly runId: string
  /** The id of the agent whose chart asks. */
  readonly agent: string
  /** Ids of the actors from the root agent to the one that asks, joined with "/". */
  readonly path: string
  /** The same in each attempt, also after a crash, and in no other effect. */
  readonly idempotencyKey: string
  /** Fires when the chart lets the effect go, or its time is up. */
  readonly signal: AbortSignal
  readonly resourceId: string | undefined
  /** The `context` of the run. */
  readonly context: JsonValue | undefined
}

/** The function of an effect of an adapter. */
export type OwnPerform = (input: JsonValue, call: EffectCall) => unknown
