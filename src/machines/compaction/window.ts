/** A request of a model beside the window of the model, as pure functions: whether it fits, and how it becomes shorter. */
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { Message } from '../../actors/message.ts'
import { charactersFor } from '../../actors/messages/size.ts'
import type { Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import type { CompactionProfile } from '../contract/profile.ts'
import type { CompactionOutput } from '../contract/reports.ts'
import { forbidsModelCalls } from '../contract/spent.ts'
import { sizeOf, type CompactionLimits } from './limits.ts'
import { partOf } from './part.ts'
import { summaryShare } from './units.ts'

/** The share of the window that one summary may replace: the model that summarises has a window too. */
const partShare = 0.5

/** How much longer than the window a request is taken to be that the server has refused. */
const refusedShare = 1.1

/** The share of the room for a summary that its words take: a word is more than one token. */
const wordsPerToken = 0.75
const fewestWords = 50

/** A request, by its sizes. */
export interface SizedRequest {
  /** The messages that summaries may replace. */
  readonly conversation: AppendLog<Message>
  /** All else in the request, in estimated tokens: the tools on offer, or the question of a decision. */
  readonly rest: number
  /** The tokens that the server counts for each estimated one. */
  readonly scale: number
}

/** The request would take more than its share of the window, and earlier messages can be summarised. */
export function mustCompact(request: SizedRequest, compaction: CompactionProfile): boolean {
  const limits = limitsOf(request, compaction)
  return sizeOf(request.conversation) > limits.target && partOf(request.conversation, limits) !== undefined
}

/** The server has refused the request because it is too long, and earlier messages can be summarised. */
export function mayCompactRefused(
  request: SizedRequest,
  compaction: CompactionProfile,
  { code }: ErrorData,
): boolean {
  if (code !== 'CONTEXT_LENGTH_EXCEEDED') return false
  const limits = limitsOf({ ...request, scale: refusedScale(request, compaction) }, compaction)
  return partOf(request.conversation, limits) !== undefined
}

/** After a compaction the call may be made: the request fits, or the call itself will say that the budget is used up. */
export function mayCallAfter(
  report: CompactionOutput | undefined,
  request: SizedRequest,
  { window }: CompactionProfile,
): boolean {
  if (report === undefined) return false
  const tokens = request.scale * estimated(request)
  return report.outcome === 'compacted' || forbidsModelCalls(report.error) || tokens < window
}

/** The scale after the count of the server for the request that it has answered. */
export function measuredScale(request: SizedRequest, { inputTokens }: Usage): number {
  return inputTokens === 0 ? request.scale : inputTokens / estimated(request)
}

/** The scale after a refusal: the server counts more than the window for this request. */
export function refusedScale(request: SizedRequest, { window }: CompactionProfile): number {
  return Math.max(request.scale, (refusedShare * window) / estimated(request))
}

function estimated({ conversation, rest }: SizedRequest): number {
  return sizeOf(conversation) + rest
}

/** The sizes that a compaction keeps to. */
export function limitsOf({ rest, scale }: SizedRequest, { window, at }: CompactionProfile): CompactionLimits {
  const target = Math.max(0, (at * window) / scale - rest)
  const part = (partShare * window) / scale
  const words = Math.floor(target * summaryShare * wordsPerToken)
  return { target, part, characters: charactersFor(part), words: Math.max(fewestWords, words), scale, rest }
}

/** The error where a conversation does not fit, and could not be made shorter. */
export function tooLongError(cause: ErrorData | undefined): ErrorData {
  const why = cause === undefined ? '' : `: ${cause.message}`
  return {
    name: 'ContextLengthError',
    code: 'CONTEXT_LENGTH_EXCEEDED',
    message: `The conversation does not fit into the window of the model, and its compaction failed${why}`,
    ...(cause === undefined ? {} : { cause }),
  }
}
