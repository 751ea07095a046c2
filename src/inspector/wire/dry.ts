/** Dry forks on the wire: what they ask, and the outcomes that they are given. */
import type { ErrorData, JsonValue } from '../../index.ts'
import type { DryFunctions, DryQuestion } from '../../kit/host.ts'

/** An effect that is held. */
export interface HeldEffect extends DryQuestion {
  /** Long texts and lists of the request are cut, and say so in their place. */
  readonly isCut?: true
}

/** A run is a dry fork. */
export interface DryState {
  /** The run that it comes from. */
  readonly origin: string
  readonly functions: DryFunctions
  /** The effects that wait for an outcome. */
  readonly held: readonly HeldEffect[]
}

/** The outcome of a held effect, by its key. */
export type ScriptRequest = { readonly key: string } & (
  | { readonly value: JsonValue; readonly error?: undefined }
  | { readonly error: ErrorData; readonly value?: undefined }
)
