/** A model with a window: it refuses a request that is too long, and reports the tokens of the others. */
import { TerminalError, textOf, type ChatModel, type ModelRequest, type PromptMessage } from 'troupe'

/** The tokens of the requests that a model has seen, those that it refused among them. */
export interface Seen {
  readonly taken: number[]
  readonly refused: number[]
}

/** Four characters of messages and tools are a token. */
function tokensOf({ messages, tools }: ModelRequest): number {
  const said = messages.reduce((sum, { content }) => sum + textOf(content).length, 0)
  return Math.ceil((said + JSON.stringify(tools).length) / 4)
}

async function refused(error: TerminalError): Promise<never> {
  throw error
}

interface Watched {
  readonly seen?: Seen
  /** Throws the error of a refused request. */
  readonly refuse?: (error: TerminalError, idempotencyKey: string) => Promise<never>
}

export function windowed(
  model: ChatModel,
  window: number,
  { seen = { taken: [], refused: [] }, refuse = refused }: Watched = {},
): ChatModel {
  return {
    ...model,
    async generate(request, options) {
      const inputTokens = tokensOf(request)
      if (inputTokens > window) {
        seen.refused.push(inputTokens)
        const error = new TerminalError(`${inputTokens} tokens are too many.`, {
          code: 'CONTEXT_LENGTH_EXCEEDED',
        })
        return refuse(error, options.idempotencyKey)
      }
      seen.taken.push(inputTokens)
      const reply = await model.generate(request, options)
      return { ...reply, usage: { inputTokens, outputTokens: 5, totalTokens: inputTokens + 5 } }
    },
  }
}

/** So many tokens, in messages of 500, and then the task. */
export function longPrompt(tokens: number, task: string): readonly PromptMessage[] {
  const earlier = Array.from({ length: Math.ceil(tokens / 500) }, (_, index): PromptMessage => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Part ${index}. ${'word '.repeat(400)}`.slice(0, 2_000),
  }))
  return [...earlier, { role: 'user', content: task }]
}
