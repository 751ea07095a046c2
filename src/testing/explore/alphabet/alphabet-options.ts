/** The given alphabets of an exploration. */
import type { JsonValue } from '../../../actors/values/json.ts'
import type { SayRequest } from './say-request.ts'
import type { FunctionSaying, ModelSaying, ToolSaying } from './sayings.ts'

/** The replies that a model may give: a list, or those to a request. */
export type Says = readonly ModelSaying[] | ((request: SayRequest) => readonly ModelSaying[])

/** The outcomes that a tool may have: a list, or those for its arguments. */
export type ToolSays = readonly ToolSaying[] | ((args: JsonValue) => readonly ToolSaying[])

/** A config item that an exploration begins with. */
export interface ConfigItems {
  readonly kind: string
  readonly key: string
  readonly value: JsonValue
}

export interface AlphabetOptions {
  readonly say: Readonly<Record<string, Says>>
  readonly tools: Readonly<Record<string, ToolSays>>
  readonly hooks: Readonly<Partial<Record<string, readonly FunctionSaying[]>>>
  readonly scorers: Readonly<Record<string, readonly FunctionSaying[]>>
  readonly config: readonly ConfigItems[]
  /** Whether derived alphabets have failures. */
  readonly failures: boolean
  /** The most replies with calls of one agent. */
  readonly steps: number
}
