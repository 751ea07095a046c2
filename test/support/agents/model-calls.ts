/** Short ways to call a model in a test. */
import type { ChatModel, ModelDelta, ModelReply, ModelRequest } from '../../../src/actors/chat-model.ts'

export const question: ModelRequest = {
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  toolChoice: 'auto',
}

export function ask(model: ChatModel, request: Partial<ModelRequest> = {}): Promise<ModelReply> {
  return model.generate(
    { ...question, ...request },
    { signal: new AbortController().signal, idempotencyKey: 'test' },
  )
}

export async function askStreaming(
  model: ChatModel,
  request: Partial<ModelRequest> = {},
): Promise<{ reply: ModelReply; deltas: readonly ModelDelta[] }> {
  const deltas: ModelDelta[] = []
  const reply = await model.generate(
    { ...question, ...request },
    {
      signal: new AbortController().signal,
      idempotencyKey: 'test',
      onDelta: (delta) => deltas.push(delta),
    },
  )
  return { reply, deltas }
}

/** What a promise was rejected with. Fails where it was not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('The promise was fulfilled, a rejection was expected')
}

/** What a function threw. Fails where it did not. */
export function thrown(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('Nothing was thrown, an error was expected')
}
