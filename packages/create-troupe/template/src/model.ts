/** The model: OpenAI's where there is a key, and otherwise a few lines that play it. */
import { setTimeout as wait } from 'node:timers/promises'
import { openai, textOf, type ChatModel } from 'troupe'

export function chooseModel(): ChatModel {
  return process.env['OPENAI_API_KEY'] ? openai('gpt-5-mini') : offline
}

/** Asks for a refund, and then tells what became of it. */
const offline: ChatModel = {
  provider: 'offline',
  modelId: 'a few lines',
  async generate({ messages }, { onDelta }) {
    const usage = { inputTokens: 20, outputTokens: 20, totalTokens: 40 }
    const last = messages.at(-1)
    if (last?.role === 'user') {
      const call = { id: crypto.randomUUID(), name: 'refund', args: { order: 'A-17', euros: 45 } }
      return { text: '', toolCalls: [call], finishReason: 'tool-calls', usage }
    }
    const text = `I have looked after your order. The refund says: ${last === undefined ? '' : textOf(last.content)}`
    for (const [word] of text.matchAll(/\S+\s*/g)) {
      onDelta?.({ type: 'text', text: word })
      await wait(40)
    }
    return { text, toolCalls: [], finishReason: 'stop', usage }
  },
}
