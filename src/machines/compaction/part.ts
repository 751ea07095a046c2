/** The messages that the next summary replaces, and the conversation after it, as pure functions. */
import { AppendLog } from '../../actors/values/append-log.ts'
import type { Message } from '../../actors/message.ts'
import { plain } from '../../actors/messages/provider-data.ts'
import { charactersOf, estimatedTokens } from '../../actors/messages/size.ts'
import { taskPosition } from '../contract/conversation.ts'
import { keptTail, summaryShare, unitsOf, type Unit } from './units.ts'

/** Messages that one summary replaces. */
export interface Part {
  /** Their positions in the conversation. */
  readonly positions: readonly number[]
  /** The messages, without the data of their providers. */
  readonly messages: AppendLog<Message>
}

/** Sizes in estimated tokens. */
export interface PartLimits {
  /** The size of a conversation that is short enough. */
  readonly target: number
  /** The most messages that one summary replaces. */
  readonly part: number
}

/**
 * The oldest messages that may be replaced; `undefined`: there are none. The system prompt, the task, feedback that is
 * still open and the last messages stay. A call and its result are never parted.
 */
export function partOf(conversation: AppendLog<Message>, { target, part }: PartLimits): Part | undefined {
  const messages = conversation.toArray()
  const pinned = pinnedIn(messages, target)
  const fixed = [...pinned].reduce((sum, position) => sum + tokensOf(messages[position] as Message), 0)
  const units = unitsOf(messages, pinned)
  const old = units.slice(0, units.length - keptTail(units, Math.max(0, target - fixed)))
  const positions = oldest(old, messages, part)
  if (!positions.some((position) => !isSummary(messages[position]))) return undefined
  const replaced = positions.map((position) => withoutProvider(messages[position] as Message))
  return { positions, messages: AppendLog.of(replaced) }
}

/** The summary stands where the last message that it replaces has stood. */
export function replaced(
  conversation: AppendLog<Message>,
  { positions }: Part,
  text: string,
): AppendLog<Message> {
  const gone = new Set(positions)
  const last = positions.at(-1)
  return AppendLog.of(
    conversation.toArray().flatMap((message, position) => {
      if (position === last) return [summaryMessage(text)]
      return gone.has(position) ? [] : [message]
    }),
  )
}

/** Whether the summary has fewer characters than the messages that it replaces. */
export function isShorter({ messages }: Part, text: string): boolean {
  return text.trim() !== '' && charactersOf(summaryMessage(text)) < messages.sum(charactersOf)
}

export function summaryMessage(text: string): Message {
  return {
    role: 'user',
    content: `Summary of the earlier part of this conversation, which it replaces:\n\n${text}`,
    internal: 'summary',
  }
}

function isSummary(message: Message | undefined): boolean {
  return message?.role === 'user' && message.internal === 'summary'
}

/** As many units as fit, and in any case one that is no summary. */
function oldest(units: readonly Unit[], messages: readonly Message[], part: number): number[] {
  const positions: number[] = []
  let size = 0
  let isEnough = false
  for (const unit of units) {
    if (isEnough && size + unit.size > part) break
    positions.push(...unit.positions)
    size += unit.size
    isEnough ||= unit.positions.some((position) => !isSummary(messages[position]))
  }
  return positions
}

/** The positions of the system prompt, of the task, and of open feedback: the newest of it, up to a share. */
function pinnedIn(messages: readonly Message[], target: number): ReadonlySet<number> {
  const pinned = new Set(messages[0]?.role === 'system' ? [0] : [])
  const task = taskPosition(messages)
  if (task >= 0) pinned.add(task)
  let room = target * summaryShare
  for (const position of openPositions(messages).toReversed()) {
    room -= tokensOf(messages[position] as Message)
    if (room < 0) break
    pinned.add(position)
  }
  return pinned
}

/** Feedback is open until the next answer. The last message may be what the model is asked to do now. */
function openPositions(messages: readonly Message[]): number[] {
  const answer = messages.findLastIndex(
    (message) => message.role === 'assistant' && (message.toolCalls ?? []).length === 0,
  )
  return messages.flatMap((message, position) => {
    if (message.role !== 'user' || message.internal === undefined || message.internal === 'summary') return []
    const isOpen = position > answer && message.internal !== 'notice'
    return isOpen || position === messages.length - 1 ? [position] : []
  })
}

function withoutProvider(message: Message): Message {
  return message.role === 'assistant' ? plain(message) : message
}

function tokensOf(message: Message): number {
  return estimatedTokens(charactersOf(message))
}
