/** The model in this process: it answers at once, so that only orchestration costs. */
import type { ChatModel, Message, ModelReply, ToolDescription } from 'troupe'
import { describedTool } from '../jobs/job.ts'
import { nameOf, replyAfter, type Script } from '../jobs/script.ts'
import type { Chat } from './chat.ts'

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

/** Each reply costs the same, however long the conversation is. */
export function instantModel(script: Script): ChatModel {
  return {
    provider: 'bench',
    modelId: nameOf(script),
    async generate({ messages }) {
      const last = messages.at(-1)
      const { text, calls } = replyAfter(last?.role === 'tool' ? last.toolCallId : undefined, script)
      return {
        text,
        toolCalls: calls.map((call) => ({ ...call, args: { ...call.args } })),
        finishReason: calls.length === 0 ? 'stop' : 'tool-calls',
        usage,
      }
    },
  }
}

interface Prepared {
  readonly model: ChatModel
  readonly tools: readonly ToolDescription[]
}

export function inProcessChat(): Chat<Message> {
  const prepared = new Map<Script, Prepared>()
  function prepare(script: Script): Prepared {
    const made = { model: instantModel(script), tools: [describedTool(script)] }
    prepared.set(script, made)
    return made
  }
  return {
    open: (instructions, task) => [
      { role: 'system', content: instructions },
      { role: 'user', content: task },
    ],
    async ask(script, messages, signal = new AbortController().signal) {
      const { model, tools } = prepared.get(script) ?? prepare(script)
      const reply: ModelReply = await model.generate(
        { messages, tools, toolChoice: 'auto' },
        { signal, idempotencyKey: '' },
      )
      const { text, toolCalls } = reply
      return { text, calls: toolCalls, message: { role: 'assistant', content: text, toolCalls } }
    },
    result: ({ id, name }, value) => ({
      role: 'tool',
      toolCallId: id,
      toolName: name,
      content: JSON.stringify(value),
    }),
  }
}
