/** What one agent is shown of another's conversation. */
import { AppendLog } from '../../actors/values/append-log.ts'
import type { Message, UserMessage } from '../../actors/message.ts'
import type { DelegationProfile } from './agent.ts'

/**
 * The parent's conversation without its system prompt, its tool parts and the library's own messages, except for
 * what the scorers found missing: later delegations are made because of it.
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

/** Where the prompt stands that is being answered: the last one of the user's. -1: nowhere. */
export function taskPosition(conversation: readonly Message[]): number {
  return conversation.findLastIndex((message) => message.role === 'user' && message.internal === undefined)
}

export function beforeTask(conversation: AppendLog<Message>): AppendLog<Message> {
  const messages = conversation.toArray()
  return AppendLog.of(messages.slice(0, Math.max(0, taskPosition(messages))))
}

function isPrivate({ internal }: UserMessage): boolean {
  return internal !== undefined && internal !== 'scoring'
}

/** As `shareable`, within the limits that the parent sets; empty where history is switched off. */
export function sharedHistory(conversation: AppendLog<Message>, options: DelegationProfile): Message[] {
  if (!options.includeConversationHistory) return []
  return shareable(conversation, options.filterInternalMessages).slice(-options.maxMessages)
}
