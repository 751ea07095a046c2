/** The sizes that a compaction keeps to, and the size of messages. */
import type { AppendLog } from '../../actors/values/append-log.ts'
import type { Message } from '../../actors/message.ts'
import { charactersOf, estimatedTokens } from '../../actors/messages/size.ts'

/** Sizes in estimated tokens, unless they say otherwise. */
export interface CompactionLimits {
  /** The size of the messages that is short enough. */
  readonly target: number
  /** The most messages that one summary replaces. */
  readonly part: number
  /** The characters of `part`. */
  readonly characters: number
  /** The most words of a summary. */
  readonly words: number
  /** The tokens that the server counts for each estimated one. */
  readonly scale: number
  /** All else in a request beside these messages: the tools on offer, or the question of a decision. */
  readonly rest: number
}

/** The size of messages in estimated tokens. */
export function sizeOf(messages: AppendLog<Message>): number {
  return estimatedTokens(messages.sum(charactersOf))
}
