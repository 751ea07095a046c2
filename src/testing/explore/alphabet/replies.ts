/** Turns the replies of an alphabet into outcomes of a model call. */
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { EffectInput } from '../../../actors/effect-kinds.ts'
import { handoffPrefix } from '../../../actors/handoff-tools.ts'
import type { ToolCall } from '../../../actors/message.ts'
import { priced, type PriceTable } from '../../../actors/pricing.ts'
import { unknownKeyText } from '../../../actors/strict/known-keys.ts'
import { delegationPrefix } from '../../../actors/toolset.ts'
import { ConfigurationError } from '../../../errors.ts'
import type { OfferedOutcome } from '../world/choice.ts'
import type { CallsByName, ModelSaying } from './sayings.ts'

type ModelInput = EffectInput<'model'>

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 } as const

/** `names`: of the tools, subagents and handoffs that the agent has. */
export function replyOf(
  saying: ModelSaying,
  input: ModelInput,
  names: readonly string[],
  prices: PriceTable | undefined,
): OfferedOutcome {
  if (saying.says === 'error') return { name: saying.name, settlement: { error: saying.error } }
  const value: ModelReply & { toolCalls: ToolCall[] } = {
    text: saying.text,
    toolCalls: toolCallsOf(saying.calls, names, input.agent),
    finishReason: saying.finishReason,
    usage: priced(usage, input.model, prices),
  }
  return { name: saying.name, settlement: { value } }
}

/** The summary that a model writes of earlier messages. */
export function summaryOf(model: string, prices: PriceTable | undefined): OfferedOutcome {
  return {
    name: 'summarises',
    settlement: { value: { text: 'So far.', usage: priced(usage, model, prices) } },
  }
}

export const noSummary: OfferedOutcome = {
  name: 'gives no summary',
  settlement: { error: { name: 'TerminalError', code: 'MODEL_FAILED', message: 'The model failed.' } },
}

function toolCallsOf(given: readonly CallsByName[], names: readonly string[], agent: string): ToolCall[] {
  return given
    .flatMap((named) => Object.entries(named))
    .map(([name, args], index) => ({
      id: `call-${index + 1}`,
      name: nameOf(name, names, agent),
      args: typeof args === 'string' ? { prompt: args } : args,
    }))
}

/** The name that the model calls, for the name of a tool or the key of an agent. */
function nameOf(key: string, names: readonly string[], agent: string): string {
  const found = [key, delegationPrefix + key, handoffPrefix + key].find((name) => names.includes(name))
  if (found !== undefined) return found
  const known = names.map((name) => name.replace(delegationPrefix, '').replace(handoffPrefix, ''))
  throw new ConfigurationError(`explore: say.${agent}: calls: ${unknownKeyText(key, known, 'name')}`)
}
