/** All answers of a call that is suspended several times: by order, by name, and after a restart (langgraph#5952). */
import {
  createAgent,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  type ChatModel,
  type JsonValue,
  type Run,
  type SuspensionAnswer,
  type ToolExecution,
} from 'troupe'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { digestOf } from '../../../src/runtime/state/effects/wanted-effects.ts'
import type { EffectRequest } from '../../../src/actors/effects/effect.ts'

type Execute = (execution: ToolExecution) => unknown

const id = 'clerk/call:1.1'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** It has no state: other processes and forks get the same replies. */
const callsOnce: ChatModel = {
  provider: 'test',
  modelId: 'calls-once',
  generate: ({ messages }) => {
    const isAnswered = messages.some(({ role }) => role === 'tool')
    const reply = { text: '', toolCalls: [], finishReason: 'stop' as const, usage }
    return Promise.resolve(
      isAnswered
        ? { ...reply, text: 'Done.' }
        : { ...reply, toolCalls: [{ id: 'c1', name: 'ask', args: {} }] },
    )
  },
}

/** A clerk whose one tool suspends its call as it likes. */
function clerk(execute: Execute) {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    execute: (_, execution) => execute(execution),
  })
  return createAgent({ id: 'clerk', instructions: 'Ask.', model: callsOnce, tools: { ask } })
}

async function started(execute: Execute) {
  const agent = clerk(execute)
  const troupe = createTroupe({ agents: [agent], onError: () => undefined })
  return { troupe, run: await troupe.start(agent, 'Go') }
}

const booking: Execute = ({ suspend, answers }) => {
  const seat = answers.named('seat') ?? suspend({ row: 7 }, { name: 'seat' })
  const meal = answers.named('meal') ?? suspend('Fish?', { name: 'meal' })
  return { booked: [seat.data, meal.data], all: [...answers] }
}

const booked = {
  booked: ['aisle', 'beans'],
  all: [
    { name: 'seat', payload: { row: 7 }, data: 'aisle', by: 'ann' },
    { name: 'meal', payload: 'Fish?', data: 'beans', note: 'no fish' },
  ],
}

describe('a call that asks twice', () => {
  test('finds both answers by their names, and what it asked', async () => {
    const { troupe, run } = await started(booking)
    await run.whenIdle
    await run.resume(id, 'aisle', { by: 'ann' })
    await run.whenIdle
    await run.resume(id, 'beans', { note: 'no fish' })
    const result = await run.result
    expect(result.steps[0]?.toolResults[0]?.value).toEqual(booked)
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    await troupe.close()
  })

  test('finds the answers in a fork from each entry', async () => {
    const { troupe, run } = await started(booking)
    await run.whenIdle
    await run.resume(id, 'aisle', { by: 'ann' })
    await run.whenIdle
    await run.resume(id, 'beans', { note: 'no fish' })
    const { steps } = await run.result
    const { entries } = await troupe.trail(run.id)
    for (let at = 1; at < entries.length; at++) {
      const fork = await troupe.fork(run.id, { at })
      for (let idle = await fork.whenIdle; idle.outcome === 'suspended'; idle = await fork.whenIdle) {
        const [{ payload } = {}] = idle.awaiting
        if (payload === 'Fish?') await fork.resume(id, 'beans', { note: 'no fish' })
        else await fork.resume(id, 'aisle', { by: 'ann' })
      }
      expect((await fork.result).steps[0]?.toolResults, `from entry ${at}`).toEqual(steps[0]?.toolResults)
    }
    await troupe.close()
  })

  test('has no answer before the first, and cannot change the list', async () => {
    const found: unknown[] = []
    const { troupe, run } = await started(({ answers, resumeData, suspend }) => {
      found.push(answers.length, answers.named('seat'), resumeData, Object.isFrozen(answers))
      return answers.length > 0 ? 'done' : suspend()
    })
    await run.whenIdle
    await run.resume(id)
    await run.result
    expect(found).toEqual([0, undefined, undefined, true, 1, undefined, null, true])
    await troupe.close()
  })
})

test('the last answer of a name counts, and a call that is tried again has them all', async () => {
  let failures = 0
  const { troupe, run } = await started(({ answers, suspend }) => {
    if (answers.length < 2) return suspend(answers.length, { name: 'age' })
    if (failures++ === 0) throw new RetryableError('not yet')
    return [answers.named('age')?.data ?? null, answers.map(({ payload }) => payload)]
  })
  for (const data of [-1, 41]) {
    await run.whenIdle
    await run.resume(id, data)
  }
  expect((await run.result).steps[0]?.toolResults[0]?.value).toEqual([41, [0, 1]])
  await troupe.close()
})

test.each([
  [{ nme: 'seat' }, 'suspend: there is no option "nme"'],
  [{ name: '' }, 'suspend: name'],
  ['seat', 'suspend: expected an object'],
])('the options of suspend are read strictly: %j', async (options, message) => {
  const { troupe, run } = await started(({ suspend }) => suspend('Which?', options as object))
  const { steps } = await run.result
  expect(steps[0]?.toolResults[0]?.error?.message).toContain(message)
  await troupe.close()
})

const question = fc.record({
  name: fc.option(fc.constantFrom('a', 'b', 'constructor', '__proto__'), { nil: undefined }),
  payload: fc.jsonValue({ maxDepth: 2 }),
  data: fc.jsonValue({ maxDepth: 2 }),
  by: fc.option(fc.constantFrom('ann', 'bob'), { nil: undefined }),
  /** Another process goes on with the run. */
  restarts: fc.boolean(),
})

test('whatever a tool asks, and whichever process goes on, it finds what it asked and was told', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(question, { minLength: 1, maxLength: 5 }), async (given) => {
      const questions = given.map((one) => JSON.parse(JSON.stringify(one)) as typeof one)
      const agent = () =>
        clerk(({ answers, suspend }) => {
          const next = questions[answers.length]
          if (next !== undefined)
            return suspend(next.payload, next.name === undefined ? {} : { name: next.name })
          return [...answers]
        })
      const store = memoryStore()
      const first = agent()
      let troupe = createTroupe({ agents: [first], store })
      let run: Run = await troupe.start(first, 'Go')
      for (const { data, by, restarts } of questions) {
        await run.whenIdle
        if (restarts) {
          await troupe.close()
          troupe = createTroupe({ agents: [agent()], store })
          run = await troupe.resume(run.id)
        }
        await run.resume(id, data as JsonValue, by === undefined ? {} : { by })
      }
      const expected = questions.map(({ restarts: _restarts, ...answer }) => answer)
      expect((await run.result).steps[0]?.toolResults[0]?.value).toEqual(expected)
      await troupe.close()
    }),
    { numRuns: 30 },
  )
})

test('a digest neither changes with the answers nor reads them', () => {
  const input = { agent: 'clerk', tool: 'ask', callId: id, args: {}, resumeData: 'beans' }
  const answers = new Proxy<readonly SuspensionAnswer[]>([], {
    get: (_, name) => {
      throw new Error(`The digest reads ${String(name)} of the answers.`)
    },
  })
  const digest = (given: object): string =>
    digestOf({ kind: 'tool', input: given } as object as EffectRequest, 'run')
  expect(digest({ ...input, answers })).toBe(digest(input))
  expect(digest({ ...input, args: { answers: 1 } })).not.toBe(digest(input))
})
