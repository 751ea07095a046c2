/**
 * A provider on a virtual clock: it counts the tokens of requests and replies, and takes the time that they would take.
 * A call that is aborted is charged for its request, and for the part of the reply that was made by then.
 */
import { textOf, type ChatModel, type ModelReply, type ModelRequest } from 'troupe'
import type { VirtualClock } from 'troupe/testing'
import type { Random } from './random.ts'

/** Speeds of a hosted model of middle size. */
export interface Speeds {
  /** Milliseconds before the first token of a reply to an empty request. */
  readonly latency: number
  /** Tokens a second that are read. */
  readonly reading: number
  /** Tokens a second that are written. */
  readonly writing: number
}

export interface Bill {
  calls: number
  inputTokens: number
  outputTokens: number
}

type Reply = Pick<ModelReply, 'text'> & Partial<Pick<ModelReply, 'toolCalls'>>

export class Provider {
  readonly bill: Bill = { calls: 0, inputTokens: 0, outputTokens: 0 }
  readonly #clock: VirtualClock
  readonly #speeds: Speeds

  constructor(clock: VirtualClock, speeds: Speeds) {
    this.#clock = clock
    this.#speeds = speeds
  }

  /** `random`: of this model alone, so that the same calls take the same time with and without a bail. */
  model(modelId: string, random: Random, reply: (request: ModelRequest) => Reply): ChatModel {
    return {
      provider: 'bench',
      modelId,
      generate: async (request, { signal }) => {
        const { text, toolCalls = [] } = reply(request)
        const inputTokens = tokensIn(request)
        const outputTokens = tokensOf(text) + tokensOf(toolCalls)
        const { latency, reading, writing } = this.#speeds
        const slowness = random.around(1, 0.3)
        const before = slowness * (latency + (1000 * inputTokens) / reading)
        const whole = before + (slowness * 1000 * outputTokens) / writing
        this.bill.calls++
        this.bill.inputTokens += inputTokens
        const begun = this.#clock.now()
        try {
          await this.#pass(whole, signal)
          this.bill.outputTokens += outputTokens
        } catch (error) {
          const made = Math.max(0, (this.#clock.now() - begun - before) / (whole - before))
          this.bill.outputTokens += Math.round(outputTokens * made)
          throw error
        }
        return {
          text,
          toolCalls,
          finishReason: toolCalls.length === 0 ? 'stop' : 'tool-calls',
          usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
        }
      },
    }
  }

  #pass(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const disarm = this.#clock.after(milliseconds, resolve)
    signal.addEventListener('abort', () => {
      disarm()
      reject(signal.reason as Error)
    })
    return promise
  }
}

/** Four characters a token, as in English prose. */
function tokensOf(value: unknown): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '[]' ? 0 : Math.ceil(text.length / 4)
}

function tokensIn({ messages, tools, responseFormat }: ModelRequest): number {
  const ofMessages = messages.map((message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
    return 4 + tokensOf(textOf(message.content)) + tokensOf(calls)
  })
  const ofTools = tools.map(({ name, description, parameters }) =>
    tokensOf({ name, description, parameters }),
  )
  const ofFormat = responseFormat === undefined ? 0 : tokensOf(responseFormat)
  return [...ofMessages, ...ofTools].reduce((sum, tokens) => sum + tokens, ofFormat)
}
