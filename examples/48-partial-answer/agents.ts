/** A narrator whose reader may stop it in mid-sentence: the thread keeps what the reader has seen. */
import { createAgent, type ChatModel } from 'troupe'

export function createNarrator(model: ChatModel) {
  return createAgent({
    id: 'narrator',
    instructions: 'You tell stories of the sea.',
    model,
    memory: true,
    keepPartial: 'thread',
  })
}
