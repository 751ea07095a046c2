/** A model that says its pieces one by one: the next when `say` is called. */
import { createAgent, type ChatModel, type ModelCallOptions } from 'troupe'

export function speaker(pieces: readonly string[]) {
  const said = pieces.map(() => Promise.withResolvers<void>())
  const model: ChatModel = {
    provider: 'test',
    modelId: 'speaker',
    async generate(_, { onDelta }: ModelCallOptions) {
      for (const [index, text] of pieces.entries()) {
        await said[index]?.promise
        onDelta?.({ type: 'text', text })
      }
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      return { text: pieces.join(''), toolCalls: [], finishReason: 'stop', usage }
    },
  }
  const agent = createAgent({ id: 'solo', instructions: 'Speak.', model })
  return { agent, say: (index: number) => said[index]?.resolve() }
}
