/** The conversation beside the window of the model: its size, and its compaction, as pure functions. */
import { charactersFor, estimatedTokens } from '../../../actors/messages/size.ts'
import { addUsage, usageOf, type Usage } from '../../../actors/usage.ts'
import type { ErrorData } from '../../../errors.ts'
import type { CompactionProfile } from '../../contract/profile.ts'
import type { CompactionOutput } from '../../contract/reports.ts'
import { sizeOf, type CompactionLimits } from '../../compaction/context.ts'
import { partOf } from '../../compaction/part.ts'
import { summaryShare } from '../../compaction/units.ts'
import { forbidsModelCalls } from '../../contract/spent.ts'
import type { Ending, LoopChange, LoopContext, Measured } from './context.ts'

/** The share of the window that one summary may replace: the model that summarises has a window too. */
const partShare = 0.5

/** How much longer than the window a request is taken to be that the server has refused. */
const refusedShare = 1.1

/** The share of the room for a summary that its words take: a word is more than one token. */
const wordsPerToken = 0.75
const fewestWords = 50

/** The request would take more than its share of the window, and earlier messages can be summarised. */
export function mustCompact(context: LoopContext): boolean {
  const { compaction } = context.input.profile
  if (compaction === undefined) return false
  const limits = limitsOf(context, compaction)
  return sizeOf(context.messages) > limits.target && partOf(context.messages, limits) !== undefined
}

/** The server has refused the request because it is too long, for the first time since its last reply. */
export function mayCompact(context: LoopContext, { code }: ErrorData): boolean {
  const { compaction } = context.input.profile
  if (compaction === undefined || code !== 'CONTEXT_LENGTH_EXCEEDED') return false
  if (context.attempts.overflows > 0) return false
  const limits = limitsOf({ ...context, ...recordOverflow(context) }, compaction)
  return partOf(context.messages, limits) !== undefined
}

/** The call may be made: the conversation fits, or the call itself will say that the budget is used up. */
export function mayCallAfterCompaction(context: LoopContext): boolean {
  const { compaction: report } = context.verdict
  if (report === undefined) return false
  return report.outcome === 'compacted' || forbidsModelCalls(report.error) || fits(context)
}

function fits(context: LoopContext): boolean {
  const { window = 0 } = context.input.profile.compaction ?? {}
  return tokensOf(context) < window
}

/** The request, in tokens as the server counts them. */
function tokensOf(context: LoopContext): number {
  return context.measured.scale * (sizeOf(context.messages) + sizeOfTools(context))
}

function sizeOfTools({ input: { profile } }: LoopContext): number {
  return estimatedTokens(JSON.stringify(profile.toolset.descriptions).length)
}

/** Takes the count of the server for the request that it has answered. */
export function measuredBy(context: LoopContext, { inputTokens }: Usage): Measured {
  const estimated = sizeOf(context.messages) + sizeOfTools(context)
  if (context.input.profile.compaction === undefined || inputTokens === 0) return context.measured
  return { ...context.measured, scale: inputTokens / estimated }
}

/** The server counts more than the window for this request. */
export function recordOverflow(context: LoopContext): Pick<LoopContext, 'attempts' | 'measured'> {
  const { attempts, measured, input } = context
  const { window = 0 } = input.profile.compaction ?? {}
  const estimated = sizeOf(context.messages) + sizeOfTools(context)
  return {
    attempts: { ...attempts, overflows: attempts.overflows + 1 },
    measured: { ...measured, scale: Math.max(measured.scale, (refusedShare * window) / estimated) },
  }
}

/** The sizes that a compaction keeps to. */
export function limitsOf(context: LoopContext, { window, at }: CompactionProfile): CompactionLimits {
  const { scale } = context.measured
  const tools = sizeOfTools(context)
  const target = Math.max(0, (at * window) / scale - tools)
  const part = (partShare * window) / scale
  const words = Math.floor(target * summaryShare * wordsPerToken)
  return { target, part, characters: charactersFor(part), words: Math.max(fewestWords, words), scale, tools }
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

/** The ending of an agent whose conversation does not fit, and could not be made shorter. */
export function tooLong({ verdict, attempts }: LoopContext): Ending {
  const cause = verdict.compaction?.error ?? attempts.lastFailure
  const why = cause === undefined ? '' : `: ${cause.message}`
  return {
    outcome: 'failed',
    error: {
      name: 'ContextLengthError',
      code: 'CONTEXT_LENGTH_EXCEEDED',
      message: `The conversation does not fit into the window of the model, and its compaction failed${why}`,
      ...(cause === undefined ? {} : { cause }),
    },
  }
}
