/** Turns the replies of an alphabet into outcomes: of a model call, or of a task of another system. */
import { delegationPrefix, handoffPrefix } from '../../../actors/strict/ids.ts'
import type { ModelReply } from '../../../actors/chat-model.ts'
import type { EffectInput, EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { ToolCall } from '../../../actors/message.ts'
import { priced, type PriceTable } from '../../../actors/pricing.ts'
import { unknownKeyText } from '../../../actors/strict/known-keys.ts'
import { ConfigurationError } from '../../../errors.ts'
import type { OfferedOutcome } from '../world/choice.ts'
import { answers, calls, fails, type CallsByName, type ModelSaying } from './sayings.ts'
import type { RemoteFollowed } from '../../../actors/remote/remote-effects.ts'

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

type Outcome = EffectOutcome<'remote'>

const begins = outcome('has the task', { type: 'begun', task: { id: 'task', contextId: 'context' } })

/** An answer; a question whether a call may be made; a failure where failures are explored. */
export function derivedRemoteSayings(agent: string, failures: boolean): readonly ModelSaying[] {
  return [
    answers(`The answer of ${agent}.`),
    calls({ act: {} }),
    ...(failures ? [fails('REMOTE_FAILED')] : []),
  ]
}

/** `sayings`: how the work of the other agent may go on. A reply with a call asks whether the first one may be made. */
export function remoteOutcomes(
  input: EffectInput<'remote'>,
  sayings: readonly ModelSaying[],
): readonly OfferedOutcome[] {
  switch (input.operation) {
    case 'send':
    case 'answer':
      return [begins]
    case 'find':
      return [begins, outcome('has no such message', { type: 'missing' })]
    case 'cancel':
      return [outcome('cancels the task', { type: 'cancelled' })]
    case 'follow':
      return offered(input, sayings).map((saying) => outcome(saying.name, followed(saying)))
  }
}

/** A question is asked once: a server that asks for ever would keep the run from its end. */
function offered(
  { answered, agent }: Extract<EffectInput<'remote'>, { operation: 'follow' }>,
  sayings: readonly ModelSaying[],
): readonly ModelSaying[] {
  if (answered === undefined) return sayings
  const last = sayings.filter((saying) => saying.says === 'error' || saying.calls.length === 0)
  return last.length > 0 ? last : [answers(`The answer of ${agent}.`)]
}

function followed(saying: ModelSaying): RemoteFollowed {
  if (saying.says === 'error') {
    const { code, message } = saying.error
    return { type: 'ended', code, message }
  }
  const [call] = saying.calls.flatMap((named) => Object.entries(named))
  if (call === undefined) return { type: 'answered', text: saying.text }
  const [toolName, args] = call
  return { type: 'asks', question: { id: 'question', type: 'approval', toolName, args, ref: 'call' } }
}

function outcome(name: string, value: Outcome): OfferedOutcome {
  return { name, settlement: { value } }
}
