/** The bare `openai` client, as one uses it by hand: Chat Completions, not streamed, no retries. */
import type { OpenAI } from 'openai'
import { describedTool } from '../jobs/job.ts'
import { nameOf } from '../jobs/script.ts'
import type { Call, Chat } from './chat.ts'

type Message = OpenAI.ChatCompletionMessageParam

export function openaiChat(client: OpenAI): Chat<Message> {
  return {
    open: (instructions, task) => [
      { role: 'system', content: instructions },
      { role: 'user', content: task },
    ],
    async ask(script, messages, signal) {
      const completion = await client.chat.completions.create(
        {
          model: nameOf(script),
          messages: messages as Message[],
          tools: [{ type: 'function', function: { ...describedTool(script) } }],
        },
        signal === undefined ? {} : { signal },
      )
      const message = completion.choices[0]?.message
      if (message === undefined) throw new Error('The server sent a completion without a choice.')
      return { text: message.content ?? '', calls: (message.tool_calls ?? []).map(toCall), message }
    },
    result: ({ id }, value) => ({ role: 'tool', tool_call_id: id, content: JSON.stringify(value) }),
  }
}

function toCall(call: OpenAI.ChatCompletionMessageToolCall): Call {
  if (call.type !== 'function') throw new Error(`The server called a tool of type "${call.type}".`)
  return { id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) as unknown }
}
