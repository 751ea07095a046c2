/** Agents that are in the midst of something when their worker is killed. What begins is written to a file. */
import { appendFileSync } from 'node:fs'
import { z } from 'zod'
import { linesOf } from '../../support/lines.ts'
import {
  createAgent,
  createSupervisor,
  createTool,
  RetryableError,
  type AgentDefinition,
  type AnyAgent,
  type ChatModel,
  type ModelReply,
  type ToolCall,
  textOf,
} from 'troupe'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

export function crashDesk(log: string): Readonly<Record<string, AnyAgent>> {
  /** How often this has begun, now included. */
  const begin = (what: string): number => {
    appendFileSync(log, `${what}\n`)
    return linesOf(log).filter((line) => line === what).length
  }
  /** Makes these calls, and then says what it was told. */
  const model = (id: string, ...toolCalls: readonly ToolCall[]): ChatModel => ({
    provider: 'crash',
    modelId: id,
    generate: async ({ messages }): Promise<ModelReply> => {
      const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content))
      if (told.length === 0) return { text: '', toolCalls, finishReason: 'tool-calls', usage }
      return { text: told.join(', '), toolCalls: [], finishReason: 'stop', usage }
    },
  })
  const inputSchema = z.object({})
  const description = 'Works.'
  const tool = (id: string, more: object = {}, hangs = 1) =>
    createTool({
      id,
      description,
      inputSchema,
      ...more,
      /** So many times it goes on until the worker is killed, or it is aborted. */
      async execute(_input, { signal }) {
        if (begin(id) > hangs) return `${id} again`
        return new Promise<string>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
        })
      },
    })
  const call = (name: string): ToolCall => ({ id: '', name, args: {} })
  const one = (id: string, ...tools: readonly ReturnType<typeof tool>[]): AgentDefinition =>
    createAgent({
      id,
      description: `Is ${id}.`,
      instructions: 'Work.',
      model: model(id, ...tools.map((used) => call(used.id))),
      tools: Object.fromEntries(tools.map((used) => [used.id, used])),
    })
  const approved = createTool({
    id: 'approved',
    description,
    inputSchema,
    requireApproval: true,
    execute: () => `approved ${begin('approved')}`,
  })
  const helper = one('helper', approved)
  const slow = one('slow', tool('slowly'))
  const quick = createAgent({
    id: 'quick',
    description: 'Is quick.',
    instructions: 'Work.',
    model: {
      provider: 'crash',
      modelId: 'quick',
      async generate() {
        if (begin('quick') === 1) await new Promise(() => undefined)
        return { text: 'Quickly.', toolCalls: [], finishReason: 'stop', usage }
      },
    },
  })
  const delegating = (...keys: readonly string[]): ToolCall[] =>
    keys.map((key) => ({ id: '', name: `agent-${key}`, args: { prompt: 'Go.' } }))
  return {
    asker: createSupervisor({
      id: 'asker',
      instructions: 'Lead.',
      model: model('asker', ...delegating('helper')),
      agents: { helper },
    }),
    sleeper: createAgent({
      id: 'sleeper',
      instructions: 'Work.',
      model: {
        provider: 'crash',
        modelId: 'sleeper',
        async generate() {
          if (begin('sleeper') === 1) throw new RetryableError('busy', { retryAfterMs: 1_500 })
          return { text: 'Slept.', toolCalls: [], finishReason: 'stop', usage }
        },
      },
    }),
    bailer: createSupervisor({
      id: 'bailer',
      instructions: 'Lead.',
      model: model('bailer', ...delegating('slow', 'quick')),
      agents: { slow, quick },
      delegation: { onDelegationComplete: ({ agentId, bail }) => (agentId === 'quick' ? bail() : undefined) },
    }),
    cancelled: one('cancelled', tool('endless', {}, Number.POSITIVE_INFINITY)),
    retrying: one('retrying', tool('repeatable')),
    failing: one('failing', tool('unrepeatable', { onInterrupted: 'fail' })),
    unsure: one('unsure', tool('doubtful', { onInterrupted: 'ask' })),
  }
}
