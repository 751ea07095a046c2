/** A shop whose every deed outside is a line in a file, so that one can see what was done in which process. */
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createAgent,
  createSupervisor,
  createTool,
  type ChatModel,
  type ModelReply,
  type ToolCall,
} from 'troupe'
import { z } from 'zod'

export interface ShopOptions {
  /** Where deeds are noted. */
  readonly deeds: string
  /** Milliseconds that each takes. */
  readonly pace?: number
  readonly requireApproval?: boolean
  /** Charges never end. */
  readonly hangs?: boolean
}

export interface Deed {
  readonly kind: 'model' | 'charge' | 'aborted'
  readonly key: string
  readonly process: number
}

/** A lead asks two clerks at once, twice; each clerk charges twice, then answers. */
export function createShop({ deeds, pace = 3, requireApproval = false, hangs = false }: ShopOptions) {
  const note = (kind: Deed['kind'], key: string): void =>
    appendFileSync(deeds, `${JSON.stringify({ kind, key, process: process.pid } satisfies Deed)}\n`)
  const charge = createTool({
    id: 'charge',
    description: 'Charges a card.',
    inputSchema: z.object({ euros: z.number() }),
    requireApproval,
    execute: async ({ euros }, { idempotencyKey, signal }) => {
      note('charge', idempotencyKey)
      if (hangs) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        note('aborted', idempotencyKey)
      }
      await wait(pace)
      return { charged: euros }
    },
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Charges cards.',
    instructions: 'Charge.',
    model: model('clerk', 2, () => [call('charge', { euros: 1 }), call('charge', { euros: 2 })]),
    tools: { charge },
  })
  return createSupervisor({
    id: 'shop',
    instructions: 'Sell.',
    model: model('shop', 3, () => [
      call('agent-clerk', { prompt: 'One' }),
      call('agent-clerk', { prompt: 'Two' }),
    ]),
    agents: { clerk },
    delegation: { timeout: 600_000 },
  })

  /** Calls in each step but the last. */
  function model(modelId: string, steps: number, calls: () => ToolCall[]): ChatModel {
    return {
      provider: 'shop',
      modelId,
      async generate({ messages }, { idempotencyKey }): Promise<ModelReply> {
        note('model', idempotencyKey)
        await wait(pace)
        const step = 1 + messages.filter(({ role }) => role === 'assistant').length
        const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
        return step < steps
          ? { text: '', toolCalls: calls(), finishReason: 'tool-calls', usage }
          : { text: `${modelId} is done.`, toolCalls: [], finishReason: 'stop', usage }
      },
    }
  }
}

function call(name: string, args: ToolCall['args']): ToolCall {
  return { id: '', name, args }
}
