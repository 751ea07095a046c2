/** The part of an agent's conversation that another agent may read. */
import { AppendLog } from '../../actors/values/append-log.ts'
import type { Message, UserMessage } from '../../actors/message.ts'
import type { DelegationProfile } from './profile.ts'

/**
 * The parent's conversation without its system prompt, its tool parts and, on request, the library's own messages.
 * Scoring feedback always stays, because later delegations follow from it, and so does the summary of earlier messages.
 */
export function shareable(conversation: AppendLog<Message>, filterInternalMessages: boolean): Message[] {
  const shared: Message[] = []
  for (const message of conversation) {
    if (message.role === 'user' && !(filterInternalMessages && isPrivate(message))) {
      shared.push(message)
    } else if (message.role === 'assistant' && message.content.trim() !== '') {
      shared.push({ role: 'assistant', content: message.content })
    }
  }
  return shared
}

/** The index of the prompt that is being answered: the last one of the user. -1: there is none. */
export function taskPosition(conversation: readonly Message[]): number {
  return conversation.findLastIndex((message) => message.role === 'user' && message.internal === undefined)
}

export function beforeTask(conversation: AppendLog<Message>): AppendLog<Message> {
  const messages = conversation.toArray()
  return AppendLog.of(messages.slice(0, Math.max(0, taskPosition(messages))))
}

function isPrivate({ internal }: UserMessage): boolean {
  return internal !== undefined && internal !== 'scoring' && internal !== 'summary'
}

/** As `shareable`, within the limits that the parent sets; empty where history is switched off. */
export function sharedHistory(conversation: AppendLog<Message>, options: DelegationProfile): Message[] {
  if (!options.includeConversationHistory) return []
  return shareable(conversation, options.filterInternalMessages).slice(-options.maxMessages)
}
