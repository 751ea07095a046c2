/** The choice that the model of an agent has in a step: a call that is required is required until it was made. */
import type { ModelReply, ToolChoice } from '../../actors/chat-model.ts'
import type { ErrorData } from '../../errors.ts'
import type { LoopChange, LoopContext } from './changes/context.ts'
import { noticeMessage } from './changes/record.ts'

/** A tool that is not on offer in this step cannot be required in it. */
export function toolChoiceOf({ input: { profile }, ledger }: LoopContext): ToolChoice {
  const { toolChoice, toolset } = profile
  if (toolChoice === 'auto' || toolChoice === 'none') return toolChoice
  const required = typeof toolChoice === 'object' ? toolChoice.tool : undefined
  const isOffered = required === undefined ? toolset.names.length > 0 : toolset.names.includes(required)
  return isOffered && !hasCalled(ledger.steps, required) ? toolChoice : 'auto'
}

/** `name`: undefined for a call of any tool. The first step that has calls ends the search in most runs. */
function hasCalled(steps: LoopContext['ledger']['steps'], name: string | undefined): boolean {
  for (const { toolCalls, providerCalls = [] } of steps) {
    if ([...toolCalls, ...providerCalls].some((call) => name === undefined || call.name === name)) return true
  }
  return false
}

/** A tool that the provider has executed was called too. */
function calls({ toolCalls, providerCalls = [] }: ModelReply): boolean {
  return toolCalls.length + providerCalls.length > 0
}

/** The model had to call a tool, and its reply has no call. A reply that was cut off could have had one. */
export function lacksCall(context: LoopContext): boolean {
  const { reply } = context
  if (reply === undefined || reply.finishReason === 'length' || calls(reply)) return false
  const choice = toolChoiceOf(context)
  return choice !== 'auto' && choice !== 'none'
}

/** Sends back a reply without the call that was required. */
export function askForCall(context: LoopContext): LoopChange {
  const choice = toolChoiceOf(context)
  const wanted = typeof choice === 'object' ? `the tool "${choice.tool}"` : 'one of your tools'
  return {
    attempts: { ...context.attempts, repairs: context.attempts.repairs + 1 },
    drafts: context.drafts + 1,
    messages: context.messages.append(noticeMessage(`Your reply calls no tool. Call ${wanted}.`)),
  }
}

export const callMissing: ErrorData = {
  name: 'ToolCallMissingError',
  code: 'TOOL_CALL_MISSING',
  message: 'The model had to call a tool, and called none.',
}
