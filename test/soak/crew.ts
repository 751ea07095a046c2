/**
 * The agents of the soaks: a lead with a helper, who work through numbered steps. A step is a tool call, a tool call
 * beside another, one that fails at first, or a delegation. The models look at nothing but the conversation, so that
 * any process can go on with any run.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createAgent,
  createSupervisor,
  createTool,
  RetryableError,
  type AgentDefinition,
  type ChatModel,
  type ModelCallOptions,
  type ModelReply,
  type ModelRequest,
  type ToolExecution,
  textOf,
} from 'troupe'
import { z } from 'zod'
import { EffectLog } from './effect-log.ts'

export interface CrewOptions {
  /** Holds the effect log, and what the tools leave behind. */
  readonly folder: string
  /** Milliseconds that a reply takes at most. Replies are given one after the other, as by a server with little to spare. */
  readonly thinking: number
  /** Milliseconds that a tool takes at most. */
  readonly working: number
}

export const logFile = 'effects.jsonl'
/** Each line is the id of a run whose `start` resolved. */
export const toldFile = 'told'

export function taskOf(job: number, steps: number): string {
  return `Job ${job}, steps 1 to ${steps}.`
}

/** What a run of this task must answer. */
export function answerTo(task: string): string {
  const { job, last } = parseTask(task)
  return `Job ${job}: ${Array.from({ length: last }, (_, index) => valueOf(job, index + 1)).join(' ')}`
}

export function createCrew({ folder, thinking, working }: CrewOptions): AgentDefinition {
  const log = new EffectLog(join(folder, logFile))
  const inputSchema = z.object({ job: z.number(), step: z.number() })
  type Input = z.output<typeof inputSchema>

  const work = async ({ job, step }: Input, execution: ToolExecution): Promise<string> => {
    const { toolCallId, idempotencyKey, runId } = execution
    const id = log.begin({ kind: 'tool', call: `${runId}: ${toolCallId}`, idempotencyKey })
    await sleep(Math.random() * working)
    return `Step ${step} is ${valueOf(job, step)}. [${id}]`
  }
  const stumble = async (input: Input, execution: ToolExecution): Promise<string> => {
    const done = await work(input, execution)
    const isFirst = leaveMark(join(folder, `stumbled-${input.job}-${input.step}`))
    if (isFirst) throw new RetryableError(`Not at once. ${done}`)
    return done
  }
  // On a slow machine one call may be in flight at several kills in a row, and no person answers here.
  const tool = (id: string, execute: typeof work) =>
    createTool({ id, description: `Does a step: ${id}.`, inputSchema, execute, maxInterruptions: 1_000 })

  const model = (modelId: string, reply: (request: ModelRequest) => Partial<ModelReply>): ChatModel => {
    let queue: Promise<unknown> = Promise.resolve()
    const answer = async (
      request: ModelRequest,
      { signal, idempotencyKey }: ModelCallOptions,
    ): Promise<ModelReply> => {
      signal.throwIfAborted()
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      const id = log.begin({ kind: 'model', call: `${taskIn(request)} ${modelId} ${turn}`, idempotencyKey })
      await sleep(Math.random() * thinking)
      const { text = '', toolCalls = [] } = reply(request)
      const finishReason = toolCalls.length > 0 ? 'tool-calls' : 'stop'
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
      return { text, reasoning: `[${id}]`, toolCalls, finishReason, usage }
    }
    return {
      provider: 'soak',
      modelId,
      generate(request, options) {
        const answered = queue.then(() => answer(request, options))
        queue = answered.catch(() => undefined) // it fails for whoever asked
        return answered
      },
    }
  }

  const helper = createAgent({
    id: 'helper',
    description: 'Does one step.',
    instructions: 'Do the step with your tool.',
    model: model('helper', (request) => {
      const { job, last: step } = parseTask(taskIn(request))
      const done = results(request).get(step)
      if (done !== undefined) return { text: `Step ${step} is ${done}.` }
      return { toolCalls: [{ id: 'work', name: 'work', args: { job, step } }] }
    }),
    tools: { work: tool('work', work) },
    maxSteps: 10,
  })
  return createSupervisor({
    id: 'lead',
    description: 'Does all steps.',
    instructions: 'Do one step after the other.',
    model: model('lead', (request) => {
      const { job, last } = parseTask(taskIn(request))
      const done = results(request)
      for (let step = 1; step <= last; step++) {
        if (!done.has(step)) return { toolCalls: callsFor(job, step) }
      }
      return { text: `Job ${job}: ${[...done.values()].join(' ')}` }
    }),
    agents: { helper },
    tools: { work: tool('work', work), aside: tool('aside', work), stumble: tool('stumble', stumble) },
    maxSteps: 500,
    delegation: { includeConversationHistory: false },
  })
}

function callsFor(job: number, step: number): ModelReply['toolCalls'] {
  const args = { job, step }
  switch (step % 8) {
    case 0:
      return [{ id: 'help', name: 'agent-helper', args: { prompt: `Job ${job}, step ${step}.` } }]
    case 3:
      return [{ id: 'stumble', name: 'stumble', args }]
    case 5:
      return [
        { id: 'work', name: 'work', args },
        { id: 'aside', name: 'aside', args },
      ]
    default:
      return [{ id: 'work', name: 'work', args }]
  }
}

function valueOf(job: number, step: number): number {
  return (job * 31 + step * 17) % 1000
}

function parseTask(task: string): { readonly job: number; readonly last: number } {
  const [job = 0, ...steps] = (task.match(/\d+/g) ?? []).map(Number)
  return { job, last: steps.at(-1) ?? 0 }
}

function taskIn({ messages }: ModelRequest): string {
  return textOf(messages.find(({ role }) => role === 'user')?.content ?? '')
}

/** By step. What failed is not there, and is asked for again. */
function results({ messages }: ModelRequest): Map<number, number> {
  const found = messages.flatMap(({ role, content }) => {
    const match = role === 'tool' ? /Step (\d+) is (\d+)/.exec(textOf(content)) : null
    return match === null ? [] : [[Number(match[1]), Number(match[2])] as const]
  })
  return new Map(found)
}

/** Whether nobody has left it before. */
function leaveMark(file: string): boolean {
  try {
    writeFileSync(file, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
