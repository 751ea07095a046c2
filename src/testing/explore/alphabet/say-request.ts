/** A model call as an alphabet sees it. */
import type { ModelRequest } from '../../../actors/chat-model.ts'
import type { EffectInput } from '../../../actors/effect-kinds.ts'
import type { Toolset } from '../../../actors/toolset.ts'
import { toolsetOfDigest } from '../../../actors/working-memory.ts'

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
