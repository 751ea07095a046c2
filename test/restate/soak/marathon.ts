/** A long run: a lead that works by itself, delegates now and then, and answers with all that came of it. */
import { z } from 'zod'
import {
  createAgent,
  createSupervisor,
  createTool,
  type AnyAgent,
  type ChatModel,
  type ModelReply,
  type ToolCall,
  textOf,
} from 'troupe'
import { digestText } from '../../../src/actors/values/digest.ts'

export interface MarathonOptions {
  readonly steps: number
  /** Milliseconds that a model or a tool takes. */
  readonly pace: number
  /** Told of each model call and tool call that begins: its idempotency key. */
  readonly onEffect?: (key: string) => void
}

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

export function marathon({ steps, pace, onEffect = () => undefined }: MarathonOptions): AnyAgent {
  const work = async (key: string): Promise<void> => {
    onEffect(key)
    await new Promise((resolve) => setTimeout(resolve, pace))
  }
  /** Calls one thing a step, and then tells in a few characters of all that it saw. */
  const model = (modelId: string, calls: readonly ToolCall[]): ChatModel => ({
    provider: 'marathon',
    modelId,
    async generate({ messages }, { idempotencyKey }): Promise<ModelReply> {
      await work(idempotencyKey)
      const seen = messages.filter(({ role }) => role === 'tool')
      const call = calls[seen.length]
      if (call !== undefined) return { text: '', toolCalls: [call], finishReason: 'tool-calls', usage }
      const text = digestText(...seen.map(({ content }) => textOf(content)))
      return { text, toolCalls: [], finishReason: 'stop', usage }
    },
  })
  const measure = createTool({
    id: 'measure',
    description: 'Measures something.',
    inputSchema: z.object({ n: z.number() }),
    async execute({ n }, { idempotencyKey }) {
      await work(idempotencyKey)
      return n * n
    },
  })
  const measuring = (n: number): ToolCall => ({ id: '', name: 'measure', args: { n } })
  const asking = (n: number): ToolCall => ({ id: '', name: 'agent-helper', args: { prompt: `Help ${n}.` } })
  const helper = createAgent({
    id: 'helper',
    description: 'Helps.',
    instructions: 'You help.',
    model: model('helper', [measuring(1), measuring(2)]),
    tools: { measure },
  })
  const calls = Array.from({ length: steps - 1 }, (_, n) => (n % 5 === 4 ? asking(n) : measuring(n)))
  return createSupervisor({
    id: 'runner',
    instructions: 'You run.',
    model: model('runner', calls),
    tools: { measure },
    agents: { helper },
    maxSteps: steps,
  })
}
