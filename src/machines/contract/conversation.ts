/** The part of an agent's conversation that another agent may read. */
import { AppendLog } from '../../actors/values/append-log.ts'
import { filesOf, isBlank, textOf, type Content } from '../../actors/content/content.ts'
import type { Message, UserMessage } from '../../actors/message.ts'
import type { DelegationProfile } from './profile.ts'

/**
 * The parent's conversation without its system prompt, its tool parts and, on request, the library's own messages.
 * Scoring feedback always stays, because later delegations follow from it, and so does the summary of earlier messages.
 * `files`: whether its files come along, or lines that name them.
 */
export function shareable(
  conversation: AppendLog<Message>,
  filterInternalMessages: boolean,
  files: 'named' | 'kept' = 'named',
): Message[] {
  const shared: Message[] = []
  const contentOf = (content: Content): Content => (files === 'kept' ? content : textOf(content))
  for (const message of conversation) {
    if (message.role === 'user' && !(filterInternalMessages && isPrivate(message))) {
      const content = contentOf(message.content)
      shared.push(content === message.content ? message : { ...message, content })
    } else if (message.role === 'assistant' && !isBlank(message.content)) {
      shared.push({ role: 'assistant', content: contentOf(message.content) })
    }
  }
  return shared
}

/** Files that a model has named and that are not there. */
export interface UnknownFiles {
  readonly asked: readonly string[]
  /** The names of the files that it may hand on. */
  readonly known: readonly string[]
}

/** Whether there is a file in any message. */
export function holdsFiles(conversation: AppendLog<Message>): boolean {
  return conversation.sum(fileCount) > 0
}

function fileCount({ content }: Message): number {
  return filesOf(content).length
}

/** The index of the prompt that is being answered: the last one of the user. -1: there is none. */
export function taskPosition(conversation: readonly Message[]): number {
  return conversation.findLastIndex((message) => message.role === 'user' && message.internal === undefined)
}

export function beforeTask(conversation: AppendLog<Message>): AppendLog<Message> {
  const messages = conversation.toArray()
  return AppendLog.of(messages.slice(0, Math.max(0, taskPosition(messages))))
}

/** A message of a person is no private one. */
function isPrivate({ internal }: UserMessage): boolean {
  return internal === 'feedback' || internal === 'notice'
}

/** As `shareable`, within the limits that the parent sets; empty where history is switched off. */
export function sharedHistory(
  conversation: AppendLog<Message>,
  options: DelegationProfile,
  files: 'named' | 'kept' = 'named',
): Message[] {
  if (!options.includeConversationHistory) return []
  return shareable(conversation, options.filterInternalMessages, files).slice(-options.maxMessages)
}
