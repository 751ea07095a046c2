/** The request of a decision beside the window of the model, as pure functions from context to change. */
import type { ModelReply } from '../../actors/chat-model.ts'
import { estimatedTokens } from '../../actors/messages/size.ts'
import { addUsage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { CompactionInput } from '../compaction/context.ts'
import { sizeOf } from '../compaction/limits.ts'
import {
  limitsOf,
  mayCallAfter,
  mayCompactRefused,
  measuredScale,
  mustCompact as outgrows,
  refusedScale,
  type SizedRequest,
} from '../compaction/window.ts'
import type { CompactionOutput } from '../contract/reports.ts'
import type { DecisionCompaction, DecisionContext, WindowContext } from './context.ts'

/** The question and the shape of the answer are never summarised. */
function sizedRequest({ input, conversation, exchange, window }: DecisionContext): SizedRequest {
  const shape = estimatedTokens(JSON.stringify(input.responseFormat.schema).length)
  const { excess = 0 } = input.compaction?.profile ?? {}
  return { conversation, rest: sizeOf(exchange) + shape + excess, scale: window.scale }
}

/** The request would take more than its share of the window, and earlier messages can be summarised. */
export function mustCompact(context: DecisionContext): boolean {
  const { compaction } = context.input
  return compaction !== undefined && outgrows(sizedRequest(context), compaction.profile)
}

/** The server has refused the request because it is too long, for the first time since its last reply. */
export function mayCompact(context: DecisionContext, error: ErrorData): boolean {
  const { compaction } = context.input
  if (compaction === undefined || context.window.overflows > 0) return false
  return mayCompactRefused(sizedRequest(context), compaction.profile, error)
}

/** The question may be asked: the request fits, or the call itself will say that the budget is used up. */
export function mayAskAfterCompaction(context: DecisionContext): boolean {
  const { compaction } = context.input
  return (
    compaction !== undefined && mayCallAfter(context.window.report, sizedRequest(context), compaction.profile)
  )
}

export function compactionInput(context: DecisionContext): CompactionInput {
  const { conversation, window, input } = context
  const { summarizer, profile } = input.compaction as DecisionCompaction // `mustCompact` and `mayCompact` have checked it
  return {
    ...summarizer,
    reason: window.overflows > 0 ? 'refused' : 'window',
    messages: conversation,
    limits: limitsOf(sizedRequest(context), profile),
  }
}

/** Takes the count of the server for the request that it has answered. */
export function measuredBy(context: DecisionContext, { usage }: ModelReply): WindowContext {
  const { window, input } = context
  if (input.compaction === undefined) return window
  return { ...window, overflows: 0, scale: measuredScale(sizedRequest(context), usage) }
}

/** The server counts more than the window for this request. */
export function recordOverflow(context: DecisionContext): WindowContext {
  const { window, input } = context
  if (input.compaction === undefined) return window
  const scale = refusedScale(sizedRequest(context), input.compaction.profile)
  return { ...window, overflows: window.overflows + 1, scale }
}

/** Adds the usage of a compaction, and takes the conversation that it leaves. */
export function recordCompaction(
  { conversation, window }: DecisionContext,
  report: CompactionOutput,
): Pick<DecisionContext, 'conversation' | 'window'> {
  return {
    conversation: report.messages ?? conversation,
    window: { ...window, report, usage: addUsage(window.usage, report.usage) },
  }
}
