/**
 * A company in which much may happen, and what happens depends on nothing but a seed and on who is asked: so that the
 * same run, cut in two, must come to the same end.
 */
import {
  createAgent,
  createScorer,
  createSupervisor,
  createTool,
  RetryableError,
  type AnyAgent,
  type ChatModel,
  type JsonValue,
  type ModelReply,
  type SupervisorOptions,
  type ToolCall,
} from 'troupe'
import { z } from 'zod'
import { unitInterval } from '../../../src/actors/values/digest.ts'
import type { MortalWorld } from './mortal-world.ts'

export function hashedCompany(seed: number, world: MortalWorld): AnyAgent<SupervisorOptions> {
  const pick = (what: string, options: number): number =>
    Math.floor(unitInterval(`${seed} ${what}`) * options)
  /** Lets others go first, so that outcomes land in different orders. */
  const wait = async (what: string): Promise<void> => {
    for (let turns = pick(`wait ${what}`, 3); turns > 0; turns--)
      await new Promise<void>((resolve) => setImmediate(resolve))
  }

  const model = (modelId: string, callables: readonly string[]): ChatModel => ({
    provider: 'hashed',
    modelId,
    generate: (request, { idempotencyKey }) => {
      const key = withoutRun(idempotencyKey)
      return world.effect(`model ${key}`, async () => {
        await wait(key)
        if (request.toolChoice === 'none') return reply({ text: `the last word of ${modelId}` })
        switch (pick(key, 12)) {
          case 0:
          case 1:
          case 2:
          case 3:
          case 4:
            return calls(key, callables, pick)
          case 5:
            throw new RetryableError('busy')
          case 6:
            if (pick(`breaks ${key}`, 3) === 0) throw new Error('broken')
            return reply({ text: 'cut', finishReason: 'length' })
          case 7:
            return reply({ text: '' })
          default:
            return reply({ text: `an answer of ${key}` })
        }
      })
    },
  })

  const work = (idempotencyKey: string): Promise<string> => {
    const key = withoutRun(idempotencyKey)
    return world.effect(`tool ${key}`, async () => {
      await wait(key)
      const choice = pick(key, 8)
      if (choice === 1) throw new RetryableError('not now')
      if (choice === 2) throw new Error('secret')
      return `done ${key}`
    })
  }
  const inputSchema = z.object({ q: z.string() })
  const description = 'Does something.'
  const tools = {
    plain: createTool({
      id: 'plain',
      description,
      inputSchema,
      execute: (_, { idempotencyKey }) => work(idempotencyKey),
    }),
    guarded: createTool({
      id: 'guarded',
      description,
      inputSchema,
      requireApproval: true,
      onInterrupted: 'ask',
      execute: (_, { idempotencyKey }) => work(idempotencyKey),
    }),
    patient: createTool({
      id: 'patient',
      description,
      inputSchema,
      execute: (_, { idempotencyKey, resumeData, suspend }) =>
        resumeData === undefined
          ? world.effect(`tool ${withoutRun(idempotencyKey)}`, () => suspend({ ask: 1 }))
          : work(idempotencyKey),
    }),
  }
  const callTools = Object.keys(tools)
  /** Groups are counted, so a name need not say more than the journal does. */
  const hook = (name: string, where: string, what: string): Promise<number> =>
    world.effect(`hook ${name} ${where.slice(where.lastIndexOf('/') + 1)}`, async () => {
      const choice = pick(`${name} ${where} ${what}`, 8)
      await wait(`${name} ${where}`)
      if (choice === 7) throw new Error('the hook broke')
      return choice
    })
  const options: SupervisorOptions = {
    delegation: {
      timeout: 1_000_000,
      onDelegationStart: async ({ delegationId }) => {
        const choice = await hook('onDelegationStart', delegationId, '')
        if (choice === 1) return { proceed: false, rejectionReason: 'no' }
        return choice === 2 ? { modifiedPrompt: 'other' } : undefined
      },
      onDelegationComplete: async ({ delegationId }) => {
        const choice = await hook('onDelegationComplete', delegationId, '')
        if (choice === 1) return { resultText: 'in other words' }
        return choice === 2 ? { feedback: 'more' } : undefined
      },
    },
    maxSteps: 3,
    toolCallConcurrency: 1 + pick('concurrency', 3),
    hookErrors: pick('hook errors', 2) === 0 ? 'fail' : 'ignore',
    retries: 1,
  }
  const worker = createAgent({
    id: 'worker',
    description,
    instructions: '',
    model: model('worker', callTools),
    tools,
    maxSteps: 3,
    retries: 1,
  })
  const manager = createSupervisor({
    id: 'manager',
    description,
    instructions: '',
    model: model('manager', ['agent-worker', 'plain']),
    agents: { worker },
    tools,
    ...options,
  })
  const scorer = (id: string, index: number) =>
    createScorer({
      id,
      score: ({ iteration }) =>
        world.effect(`scorer ${index}`, () => (pick(`${id} ${iteration}`, 3) === 0 ? 0.5 : 1)),
    })
  const isParallel = pick('parallel', 2) === 0
  return createSupervisor({
    id: 'lead',
    instructions: '',
    model: model('lead', ['agent-manager', 'agent-worker', 'plain', 'guarded', 'patient', 'agent-nobody']),
    agents: { manager, worker },
    tools,
    ...options,
    completion: {
      scorers: ['first', 'second'].map(scorer),
      strategy: isParallel ? 'all' : 'any',
      parallel: isParallel,
    },
    ...(pick('reviewed', 2) === 0
      ? {}
      : {
          onIterationComplete: async ({ agentId, iteration }) => {
            const choice = await hook('onIterationComplete', agentId, String(iteration))
            if (choice === 1) return { continue: false }
            if (choice === 2) return { continue: false, feedback: 'finish' }
            return choice === 3 ? { continue: true, feedback: 'more' } : undefined
          },
          stopWhen: async ({ stepCount }) => (await hook('stopWhen', 'lead', String(stepCount))) === 1,
        }),
  })
}

/** The same for every run. */
export function withoutRun(idempotencyKey: string): string {
  return idempotencyKey.slice(idempotencyKey.indexOf('/') + 1)
}

function reply(more: Partial<ModelReply>): ModelReply {
  const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }
  return { text: '', toolCalls: [], finishReason: 'stop', usage, ...more }
}

function calls(
  key: string,
  callables: readonly string[],
  pick: (what: string, options: number) => number,
): ModelReply {
  const toolCalls = Array.from({ length: 1 + pick(`calls ${key}`, 3) }, (_, index): ToolCall => {
    const name = callables[pick(`call ${index} ${key}`, callables.length)] as string
    const args: JsonValue = name.startsWith('agent-') ? { prompt: 'go' } : { q: 'x' }
    return { id: '', name, args }
  })
  return reply({ toolCalls, finishReason: 'tool-calls' })
}
