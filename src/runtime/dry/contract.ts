/**
 * A dry fork: a fork in a store of its own, whose effects that would pay or act are questions to a person or a script. Nothing
 * of it reaches a model, a tool, another system, or the store of its origin.
 */
import type { ErrorData } from '../../errors.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { PerformedKind } from '../engine/perform/kinds.ts'

/** The kinds of questions: those of effects, and a workflow apart from other tools. */
export type DryKind = PerformedKind | 'workflow'

/** An effect that a dry fork holds, until it is given an outcome. */
export interface DryQuestion {
  /** The key of the effect. */
  readonly key: string
  readonly kind: DryKind
  /** Of the model, tool, server or function. */
  readonly name?: string
  readonly agent: string
  readonly path: string
  /** The request: of a model the messages and the tools on offer, of a tool its arguments. */
  readonly input: JsonValue
  /** A value to begin with. */
  readonly template: JsonValue
}

/**
 * An outcome in place of that of an effect. Of a model: a text, or `{ text, toolCalls: [{ name, args }] }`. Of a tool: the value
 * that it returns. Of any other effect: its outcome as a journal has it.
 */
export type ScriptedOutcome =
  | { readonly value: JsonValue; readonly error?: undefined }
  | { readonly error: ErrorData; readonly value?: undefined }

/** Whether hooks, scorers, processors and the user's search for tools are called, which may act, or are questions too. */
export type DryFunctions = 'run' | 'ask'
