/** The conversation beside the window of the model: its size, and its compaction, as pure functions. */
import { estimatedTokens } from '../../../actors/messages/size.ts'
import { addUsage, usageOf, type Usage } from '../../../actors/usage.ts'
import type { ErrorData } from '../../../errors.ts'
import {
  mayCallAfter,
  mayCompactRefused,
  measuredScale,
  mustCompact as outgrows,
  refusedScale,
  tooLongError,
  type SizedRequest,
} from '../../compaction/window.ts'
import type { CompactionOutput, DecisionOutput } from '../../contract/reports.ts'
import type { Ending, LoopChange, LoopContext, Measured } from './context.ts'

/** The request of the next step, by its sizes. */
export function sizedRequest({ input: { profile }, messages, measured }: LoopContext): SizedRequest {
  const tools = estimatedTokens(JSON.stringify(profile.toolset.descriptions).length)
  const { excess = 0 }: { readonly excess?: number } = profile.compaction ?? profile.contextEditing ?? {}
  return { conversation: messages, rest: tools + excess, scale: measured.scale }
}

/** The request would take more than its share of the window, and earlier messages can be summarised. */
export function mustCompact(context: LoopContext): boolean {
  const { compaction } = context.input.profile
  return compaction !== undefined && outgrows(sizedRequest(context), compaction)
}

/** The server has refused the request because it is too long, for the first time since its last reply. */
export function mayCompact(context: LoopContext, error: ErrorData): boolean {
  const { compaction } = context.input.profile
  if (compaction === undefined || context.attempts.overflows > 0) return false
  return mayCompactRefused(sizedRequest(context), compaction, error)
}

/** The call may be made: the conversation fits, or the call itself will say that the budget is used up. */
export function mayCallAfterCompaction(context: LoopContext): boolean {
  const { compaction } = context.input.profile
  if (compaction === undefined) return false
  return mayCallAfter(context.verdict.compaction, sizedRequest(context), compaction)
}

/** Takes the count of the server for the request that it has answered. */
export function measuredBy(context: LoopContext, usage: Usage): Measured {
  const { compaction, contextEditing } = context.input.profile
  if (compaction === undefined && contextEditing === undefined) return context.measured
  return { ...context.measured, scale: measuredScale(sizedRequest(context), usage) }
}

/** The server counts more than the window for this request. */
export function recordOverflow(context: LoopContext): LoopChange {
  const { attempts, measured, input } = context
  const { compaction } = input.profile
  if (compaction === undefined) return {}
  return {
    attempts: { ...attempts, overflows: attempts.overflows + 1 },
    measured: { ...measured, scale: refusedScale(sizedRequest(context), compaction) },
  }
}

/** Adds the usage of a compaction, and takes the conversation that it leaves. */
export function recordCompaction(
  { ledger, input, messages, verdict }: LoopContext,
  report: CompactionOutput,
): LoopChange {
  const agent = input.profile.id
  const usage = addUsage(usageOf(ledger.usage, agent), report.usage)
  return {
    ledger: { ...ledger, usage: { ...ledger.usage, [agent]: usage } },
    verdict: { ...verdict, compaction: report },
    messages: report.messages ?? messages,
  }
}

/**
 * Takes the conversation that a decision leaves. Decisions of a plan are made side by side: of two that have made the same
 * messages shorter, the first counts.
 */
export function windowAfter(context: LoopContext, { window }: DecisionOutput): LoopChange {
  if (window === undefined) return {}
  const { before, after, scale } = window
  const messages = context.messages.toArray()
  const isBegun = before.toArray().every((message, position) => message === messages[position])
  return {
    measured: { ...context.measured, scale },
    messages:
      after === before || !isBegun ? context.messages : after.append(...messages.slice(before.length)),
  }
}

/** The ending of an agent whose conversation does not fit, and could not be made shorter. */
export function tooLong({ verdict, attempts }: LoopContext): Ending {
  return { outcome: 'failed', error: tooLongError(verdict.compaction?.error ?? attempts.lastFailure) }
}
