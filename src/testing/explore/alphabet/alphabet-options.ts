/** The given alphabets of an exploration. */
import { is, listOf } from '../../../actors/strict/checks.ts'
import { isObject } from '../../../actors/strict/read-options.ts'
import type { JsonValue } from '../../../actors/values/json.ts'
import { atOnce } from '../../../runtime/user-function.ts'
import type { FunctionSaying, ModelSaying, ToolSaying } from './sayings.ts'
import type { ModelRequest } from '../../../actors/chat-model.ts'
import type { EffectInput } from '../../../actors/effects/effect-kinds.ts'
import type { Toolset } from '../../../actors/toolset/toolset.ts'
import { toolsetOfDigest } from '../../../actors/toolset/working-memory.ts'

/** The replies that a model may give: a list, or those to a request. */
export type Says = readonly ModelSaying[] | ((request: SayRequest) => readonly ModelSaying[])

/** The request that `Says` is asked about. */
export interface SayRequest extends ModelRequest {
  /** The id of the agent. */
  readonly agent: string
  /** From 1: the replies with calls so far, and this one. */
  readonly step: number
}

/** `toolset`: the whole toolset of the agent. */
export function sayRequestOf(input: EffectInput<'model'>, toolset: Toolset): SayRequest {
  const { agent, messages, toolChoice, responseFormat } = input
  const calling = messages.sum(countCalls)
  return {
    agent,
    step: calling + 1,
    messages: messages.toArray(),
    tools: toolChoice === 'none' ? [] : toolsetOfDigest(toolset, input.tools, input.scope).descriptions,
    toolChoice,
    ...(responseFormat === undefined ? {} : { responseFormat }),
  }
}

function countCalls(message: { readonly role: string; readonly toolCalls?: readonly unknown[] }): number {
  return (message.toolCalls ?? []).length > 0 ? 1 : 0
}

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

const isSaying = (made: string, field: 'says' | 'does') =>
  is(made, (given) => isObject(given) && typeof Reflect.get(given, field) === 'string')

export const modelSaying = isSaying('a reply, from answers(), calls(), decides() or fails()', 'says')
export const toolSaying = isSaying('an outcome, from returns(), throws(), suspends() or sleeps()', 'does')
export const functionSaying = isSaying('an outcome, from gives() or throws()', 'does')

const modelSayings = listOf(modelSaying, 'a list of replies')
const toolSayings = listOf(toolSaying, 'a list of outcomes')

/** The replies that `says` gives to a request. Throws a `ConfigurationError` for a function that answers otherwise. */
export function repliesTo(says: Says, request: SayRequest): readonly ModelSaying[] {
  if (typeof says !== 'function') return says
  const given = atOnce(`say.${request.agent} of explore`, says(request))
  modelSayings(given, `explore: the answer of say.${request.agent}`)
  return given
}

/** The outcomes that `says` gives a tool. Throws a `ConfigurationError` for a function that answers otherwise. */
export function outcomesFor(says: ToolSays, tool: string, args: JsonValue): readonly ToolSaying[] {
  if (typeof says !== 'function') return says
  const given = atOnce(`tools.${tool} of explore`, says(args))
  toolSayings(given, `explore: the answer of tools.${tool}`)
  return given
}
