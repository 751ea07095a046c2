/** The task of an agent that gives it to a child unchanged. */
import { textOf, type Content } from '../../../actors/messages/content.ts'
import type { ToolCall } from '../../../actors/message.ts'
import { taskPosition } from '../../contract/conversation.ts'
import type { LoopContext, PendingCall } from './context.ts'

/** The text of the prompt that is being answered, as input processors have left it. */
export function taskOf(context: Pick<LoopContext, 'messages' | 'input'>): string {
  return textOf(taskContent(context))
}

/** The prompt that is being answered, with its files. */
export function taskContent({ messages, input }: Pick<LoopContext, 'messages' | 'input'>): Content {
  const conversation = messages.toArray()
  return conversation[taskPosition(conversation)]?.content ?? input.task
}

/** A delegation whose prompt holds the task: the conversation that goes along ends before it. */
export function taskCall(child: string, call: ToolCall): PendingCall {
  return { child, call, isTask: true }
}
