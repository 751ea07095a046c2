/** A model that says its pieces, and then says no more until it is aborted, or ends. */
import { textOf, type ChatModel } from 'troupe'

export function slowModel(pieces: readonly string[], ends = false): ChatModel {
  return {
    provider: 'example',
    modelId: 'slow',
    async generate({ messages }, { onDelta, signal }) {
      if (ends)
        console.log(
          `\nThe model reads: ${JSON.stringify(messages.slice(1).map(({ content }) => textOf(content)))}`,
        )
      for (const text of pieces) onDelta?.({ type: 'text', text })
      if (!ends) await new Promise((_, reject) => signal.addEventListener('abort', reject))
      const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 }
      return { text: pieces.join(''), toolCalls: [], finishReason: 'stop', usage }
    },
  }
}
