/** The task of an agent that gives it to a child unchanged. */
import type { ToolCall } from '../../../actors/message.ts'
import { taskPosition } from '../../contract/conversation.ts'
import type { LoopContext, PendingCall } from './context.ts'

/** The prompt that is being answered, as input processors have left it. */
export function taskOf({ messages, input }: Pick<LoopContext, 'messages' | 'input'>): string {
  const conversation = messages.toArray()
  return conversation[taskPosition(conversation)]?.content ?? input.task
}

/** A delegation whose prompt holds the task: the conversation that goes along ends before it. */
export function taskCall(child: string, call: ToolCall): PendingCall {
  return { child, call, isTask: true }
}
