/**
 * The job that all contestants do: three model calls, of which the first two ask for one call of a trivial tool
 * and the third answers. Model and tool are in this process and settle at once, so that only orchestration costs.
 */
import { createTool, type ChatModel, type Message, type ModelReply } from 'troupe'
import { z } from 'zod'

export const runs = 1000
export const modelCallsPerRun = 3
export const instructions = 'Add numbers with your tool.'
export const task = 'What is 1 + 2, and what is that doubled?'
export const answer = 'It is 3, and doubled 6.'

const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

const replies: readonly ModelReply[] = [
  asking('call-1', { a: 1, b: 2 }),
  asking('call-2', { a: 3, b: 3 }),
  { text: answer, toolCalls: [], finishReason: 'stop', usage },
]

function asking(id: string, args: { a: number; b: number }): ModelReply {
  return { text: '', toolCalls: [{ id, name: 'add', args }], finishReason: 'tool-calls', usage }
}

/** Answers by how many results of its tool it has seen. */
export const model: ChatModel = {
  provider: 'bench',
  modelId: 'instant',
  async generate({ messages }) {
    return replyTo(messages)
  },
}

function replyTo(messages: readonly Message[]): ModelReply {
  let results = 0
  for (const message of messages) if (message.role === 'tool') results++
  return replies[results] as ModelReply
}

export function add({ a, b }: { a: number; b: number }): number {
  return a + b
}

export const addTool = createTool({
  id: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: add,
})
