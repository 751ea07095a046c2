/**
 * A desk whose clerk does what the task says, one tool call a task. Its models look at nothing but the conversation,
 * so that any process can go on with any run; whatever is done outside is a line in a file.
 */
import { appendFileSync } from 'node:fs'
import {
  createAgent,
  createSupervisor,
  createTool,
  RetryableError,
  type ChatModel,
  type Message,
  textOf,
} from 'troupe'
import { z } from 'zod'
import { linesOf } from '../support/lines.ts'

export interface Deed {
  readonly what: string
  readonly process: number
  readonly key: string
}

export interface DeskOptions {
  /** Where deeds are noted. */
  readonly deeds: string
  /** Milliseconds that a person has to approve a refund. Default: any. */
  readonly approvalTimeout?: number
  /** Milliseconds before a letter may be posted again. */
  readonly retryAfterMs?: number
  readonly instructions?: string
  readonly onDrift?: 'refuse'
}

/** How the clerk's call is named, wherever the run is. */
export const callId = 'desk/delegation:1.1/clerk/call:1.1'

export function deedsIn(file: string): Deed[] {
  return linesOf(file).map((line) => JSON.parse(line) as Deed)
}

export function createDesk(options: DeskOptions) {
  const { deeds, approvalTimeout, retryAfterMs = 500, instructions = 'Pass it on.' } = options
  const note = (what: string, key: string): void =>
    appendFileSync(deeds, `${JSON.stringify({ what, process: process.pid, key } satisfies Deed)}\n`)
  const inputSchema = z.object({})
  const refund = createTool({
    id: 'refund',
    description: 'Pays back.',
    inputSchema,
    requireApproval: true,
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    execute: (_, { idempotencyKey }) => {
      note('refund', idempotencyKey)
      return 'refunded'
    },
  })
  const choose = createTool({
    id: 'choose',
    description: 'Lets a person choose.',
    inputSchema,
    execute: (_, { suspend, resumeData, idempotencyKey }) => {
      if (resumeData === undefined) return suspend({ options: ['red', 'blue'] })
      note('choose', idempotencyKey)
      return resumeData
    },
  })
  const post = createTool({
    id: 'post',
    description: 'Posts a letter; the box is full at first.',
    inputSchema,
    execute: (_, { idempotencyKey }) => {
      note('post', idempotencyKey)
      if (deedsIn(deeds).filter(({ key }) => key === idempotencyKey).length > 1) return 'posted'
      throw new RetryableError('The box is full.', { retryAfterMs })
    },
  })
  const dig = createTool({
    id: 'dig',
    description: 'Digs until it is told to stop.',
    inputSchema,
    execute: async (_, { signal, idempotencyKey }) => {
      note('dig', idempotencyKey)
      await untilAborted(signal)
      note('dig aborted', idempotencyKey)
    },
  })
  const clerk = createAgent({
    id: 'clerk',
    description: 'Does what it is told.',
    instructions: 'Do it.',
    model: model('clerk', async (messages, { signal, idempotencyKey }) => {
      const done = messages.find(({ role }) => role === 'tool')
      if (done !== undefined) return textOf(done.content)
      const task = textOf(messages.findLast(({ role }) => role === 'user')?.content ?? '')
      if (task !== 'think') return [{ id: 'call', name: task, args: {} }]
      note('think', idempotencyKey)
      await untilAborted(signal)
      note('think aborted', idempotencyKey)
      return ''
    }),
    tools: { refund, choose, post },
  })
  return createSupervisor({
    id: 'desk',
    instructions,
    ...(options.onDrift === undefined ? {} : { onDrift: options.onDrift }),
    model: model('desk', async (messages) => {
      const done = messages.find(({ role }) => role === 'tool')
      if (done !== undefined) return `Done: ${textOf(done.content)}`
      const task = textOf(messages.find(({ role }) => role === 'user')?.content ?? '')
      // A busy desk thinks in the clerk and digs by itself, both at once.
      const prompt = task === 'be busy' ? 'think' : task
      const calls = [{ id: 'pass', name: 'agent-clerk', args: { prompt } }]
      return task === 'be busy' ? [...calls, { id: 'dig', name: 'dig', args: {} }] : calls
    }),
    agents: { clerk },
    tools: { dig },
  })
}

type Call = { readonly id: string; readonly name: string; readonly args: Record<string, string> }
type Options = Parameters<ChatModel['generate']>[1]

function model(
  modelId: string,
  reply: (messages: readonly Message[], options: Options) => Promise<string | Call[]>,
): ChatModel {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  return {
    provider: 'desk',
    modelId,
    async generate({ messages }, options) {
      const said = await reply(messages, options)
      return typeof said === 'string'
        ? { text: said, toolCalls: [], finishReason: 'stop', usage }
        : { text: '', toolCalls: said, finishReason: 'tool-calls', usage }
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
