/** What users' code gives us arrives unchanged, or not at all: with the path to what JSON cannot hold. */
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { createAgent, createScorer, createTool, createTroupe, createWorkflow, type Troupe } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, worker } from '../../support/agents/agents.ts'

class Point {
  x = 1
  y = 2
  unset: number | undefined
  length(): number {
    return Math.hypot(this.x, this.y)
  }
}

class Money {
  readonly #cents = 100
  get amount(): number {
    return this.#cents
  }
}

class Order extends Point {
  get total(): number {
    return this.x + this.y
  }
}

class Written {
  readonly secret = 1n
  toJSON(): unknown {
    return { shown: new Date(0), at: [undefined, -0] }
  }
}

const holes: number[] = [1]
holes[2] = 3

const circular: { list: unknown[] } = { list: [] }
circular.list.push({ back: circular })

const shared = { same: true }

const pass: readonly (readonly [string, unknown, unknown])[] = [
  ['nothing', undefined, null],
  ['fields that are undefined', { a: undefined, b: 1 }, { b: 1 }],
  ['undefined in a list, and holes', [undefined, holes], [null, [1, null, 3]]],
  ['-0', [-0, { n: -0 }], [0, { n: 0 }]],
  ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
  ['what has a toJSON', new Written(), { shown: '1970-01-01T00:00:00.000Z', at: [null, 0] }],
  ['an instance with plain fields', [new Point()], [{ x: 1, y: 2 }]],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
  ['an object of another realm', runInNewContext('({ a: [1] })'), { a: [1] }],
  ['boxed values', [Object(1), Object('x'), Object(false)], [1, 'x', false]],
  ['one object in two places', [shared, shared], [{ same: true }, { same: true }]],
  ['halves of surrogate pairs, and NUL', { '\ud800\0': '\0\udc00🚀' }, { '\ud800\0': '\0\udc00🚀' }],
  ['a field called __proto__', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
]

const fail: readonly (readonly [string, unknown, string])[] = [
  ['NaN', { items: [0, 0, 0, { price: Number.NaN }] }, 'result.items[3].price is NaN'],
  ['an infinity', [Number.NEGATIVE_INFINITY], 'result[0] is -Infinity'],
  ['a BigInt', { n: 1n }, 'result.n is a bigint'],
  ['a function', { 'not a name': () => 1 }, 'result["not a name"] is a function'],
  ['a symbol', [Symbol('s')], 'result[0] is a symbol'],
  ['a Map', { users: new Map([['a', 1]]) }, 'result.users is a Map'],
  ['a Set', new Set([1]), 'result is a Set'],
  ['a typed array', { bytes: new Uint8Array(2) }, 'result.bytes is a Uint8Array'],
  ['a Buffer', { bytes: Buffer.from('hello') }, 'result.bytes is a Uint8Array'],
  ['a Buffer within a toJSON', { a: { toJSON: () => Buffer.from('hello') } }, 'result.a is a Uint8Array'],
  ['an ArrayBuffer', new ArrayBuffer(2), 'result is an ArrayBuffer'],
  ['a view', new DataView(new ArrayBuffer(2)), 'result is a DataView'],
  ['an Error', { error: new TypeError('no') }, 'result.error is a TypeError'],
  ['a promise that was not awaited', { later: Promise.resolve(1) }, 'result.later is a Promise'],
  ['a regular expression', [/x/], 'result[0] is a RegExp'],
  ['a date that is none', { at: new Date('never') }, 'result.at is an invalid Date'],
  ['an iterator', { all: [1].values() }, 'result.all is an Array Iterator'],
  ['headers', { headers: new Headers({ a: 'b' }) }, 'result.headers is a Headers'],
  ['accessors alone', { price: new Money() }, 'result.price is a Money, whose accessor "amount" is no field'],
  ['fields and accessors', [new Order()], 'result[0] is an Order, whose accessor "total" is no field'],
  ['a circle', circular, 'result.list[0].back contains itself'],
  ['what lies within a toJSON', { a: { toJSON: () => ({ b: [1n] }) } }, 'result.a.b[0] is a bigint'],
  [
    'a field that cannot be read',
    {
      get gone(): never {
        throw new Error('gone')
      },
    },
    'result.gone cannot be read',
  ],
]

const nothing = z.object({})

/** Runs one call of a tool; gives what is recorded, told to the model, and announced. */
async function called(tool: ReturnType<typeof createTool>) {
  const { agent, model } = worker('solo', [calls({ name: 'tool' }), 'Done.'], { tools: { tool } })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  const events = await allEvents(run)
  expect((await troupe.replay(run.id)).result).toEqual(result)
  return { result, events, told: shown(model, 2).at(-1)?.content }
}

const toolGiving = (value: unknown) =>
  createTool({ id: 'tool', description: 'Gives.', inputSchema: nothing, execute: () => value })

const workflowGiving = (value: unknown) =>
  createWorkflow({
    id: 'tool',
    description: 'Gives.',
    inputSchema: nothing,
    logic: fromPromise(async () => ({ value })),
  })

describe('the result of a tool', () => {
  test.each(pass)('arrives as in JSON: %s', async (_what, value, expected) => {
    const { events, told } = await called(toolGiving(value))
    const [result] = only(events, 'tool-result')
    expect(result?.payload.result).toStrictEqual(expected)
    expect(told).toBe(typeof expected === 'string' ? expected : JSON.stringify(expected))
  })

  test.each(fail)('fails its call, with the path: %s', async (_what, value, problem) => {
    const { result, events, told } = await called(toolGiving(value))
    const [error] = only(events, 'tool-error')
    expect(error?.payload.error).toMatchObject({
      name: 'TerminalError',
      code: 'TOOL_RESULT_NOT_JSON',
      message: expect.stringContaining(problem),
    })
    expect(told).not.toContain('result')
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('is refused where it is deeper than any walk of ours', async () => {
    let deep: unknown = 1
    for (let level = 0; level < 50_000; level++) deep = { deep }
    const { events } = await called(toolGiving(deep))
    expect(only(events, 'tool-error')[0]?.payload.error?.message).toContain('more than 1000 levels deep')
  })
})

test('the output of a workflow is told apart in the same way', async () => {
  const { events } = await called(workflowGiving(-0))
  expect(only(events, 'tool-result')[0]?.payload.result).toStrictEqual({ value: 0 })
  for (const [, value, problem] of fail) {
    const { events } = await called(workflowGiving(value))
    expect(only(events, 'tool-error')[0]?.payload.error).toMatchObject({
      code: 'TOOL_RESULT_NOT_JSON',
      message: expect.stringContaining(problem?.replace('result', 'result.value')),
    })
  }
})

test('the payload of a suspension is told apart in the same way', async () => {
  const tool = createTool({
    id: 'tool',
    description: 'Asks.',
    inputSchema: nothing,
    execute: (_input, { suspend }) => suspend({ choices: new Set(['a']) }),
  })
  const { result, events } = await called(tool)
  expect(only(events, 'tool-error')[0]?.payload.error).toMatchObject({
    code: 'TOOL_RESULT_NOT_JSON',
    message: 'The payload of suspend() cannot be written as JSON: payload.choices is a Set.',
  })
  expect(result.outcome).toBe('completed')
})

describe('the answer of a hook', () => {
  test('that JSON would change is refused, with the path', async () => {
    const scout = worker('scout', ['Found.'])
    const { agent } = lead('boss', [calls(to('scout', 'Look.')), 'Done.'], {
      agents: { scout: scout.agent },
      delegation: { onDelegationStart: () => ({ modifiedMaxSteps: Number.NaN }) },
    })
    const result = await agent.generate('Go')
    expect(result.delegations).toMatchObject([
      {
        outcome: 'failed',
        error: {
          code: 'INVALID_HOOK_RESULT',
          message:
            'The answer of onDelegationStart cannot be written as JSON: answer.modifiedMaxSteps is NaN.',
        },
      },
    ])
    expect(scout.model.calls).toHaveLength(0)
  })

  test('may be an instance with plain fields', async () => {
    class Verdict {
      proceed = false
      rejectionReason = 'Not now.'
    }
    const scout = worker('scout', ['Found.'])
    const { agent, model } = lead('boss', [calls(to('scout', 'Look.')), 'Done.'], {
      agents: { scout: scout.agent },
      delegation: { onDelegationStart: () => new Verdict() },
    })
    expect((await agent.generate('Go')).delegations).toMatchObject([{ outcome: 'rejected' }])
    expect(shown(model, 2).at(-1)?.content).toContain('Delegation rejected: Not now.')
  })
})

test('a scorer whose reason is no text has failed', async () => {
  const scorer = createScorer({ id: 'judge', score: () => ({ score: 1, reason: 42 as never }) })
  const { agent } = lead('boss', ['Done.'], { completion: { scorers: [scorer], continueOnFail: false } })
  const { scores } = await agent.generate('Go')
  expect(JSON.stringify(scores)).toContain('INVALID_SCORE')
})

test('what a resume is given is told apart before anything is recorded', async () => {
  const tool = createTool({
    id: 'tool',
    description: 'Asks.',
    inputSchema: nothing,
    execute: (_input, { suspend, resumeData }) => resumeData ?? suspend(),
  })
  const { agent } = worker('solo', [calls({ name: 'tool' }), 'Done.'], { tools: { tool } })
  const troupe: Troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const idle = await run.whenIdle
  const id = idle.outcome === 'suspended' ? (idle.awaiting[0]?.toolCallId ?? '') : ''
  const before = (await troupe.journal(run.id)).length
  await expect((async () => run.resume(id, { rate: Number.NaN }))()).rejects.toMatchObject({
    code: 'NOT_SERIALISABLE',
    message: 'The data of resume() cannot be written as JSON: data.rate is NaN.',
  })
  expect(await troupe.journal(run.id)).toHaveLength(before)
  await Promise.resolve(run.resume(id, { rate: 2 }))
  expect(await run.result).toMatchObject({ outcome: 'completed' })
})

test('arguments that a model of the user’s own gives are told apart too', async () => {
  const model = scriptedModel([], { modelId: 'own' })
  const odd = {
    ...model,
    provider: 'own',
    modelId: 'odd',
    generate: async () => ({
      text: '',
      toolCalls: [{ id: '1', name: 'tool', args: { n: Number.NaN } }],
      finishReason: 'tool-calls' as const,
    }),
  }
  const agent = createAgent({
    id: 'solo',
    instructions: '',
    model: odd as never,
    tools: { tool: toolGiving(1) },
  })
  expect(await agent.generate('Go')).toMatchObject({
    outcome: 'failed',
    error: { code: 'MODEL_REPLY_INVALID', message: expect.stringContaining('args.n is NaN') },
  })
})

describe('bytes are refused by name, and no list of numbers, also those with a toJSON', () => {
  const solo = (execute: Parameters<typeof createTool>[0]['execute']) =>
    worker('solo', [calls({ name: 'tool' }), 'Done.'], {
      tools: { tool: createTool({ id: 'tool', description: 'Works.', inputSchema: nothing, execute }) },
    }).agent

  test.each([Buffer.from('hello'), Uint8Array.of(1), new Float64Array(1)])('%o', async (bytes) => {
    const tag = Object.prototype.toString.call(bytes).slice(8, -1)
    const suspends = await solo((_, { suspend }) => suspend(bytes)).generate('Go')
    expect(suspends.steps[0]?.toolResults[0]).toMatchObject({
      outcome: 'failed',
      error: { code: 'TOOL_RESULT_NOT_JSON', message: expect.stringContaining(`payload is a ${tag}`) },
    })
    const asks = solo((_, { suspend, resumeData }) => resumeData ?? suspend('What?'))
    const troupe = createTroupe({ agents: [asks] })
    const run = await troupe.start(asks, 'Go')
    await run.whenIdle
    await expect(run.resume('solo/call:1.1', { bytes } as never)).rejects.toThrow(`data.bytes is a ${tag}`)
    await run.resume('solo/call:1.1', 'ok')
    await run.result
    await troupe.close()
    await expect(solo(() => 'ok').generate('Go', { context: { bytes } })).rejects.toThrow(tag)
    let refused: unknown
    await solo((_, { emit }) => {
      try {
        emit({ bytes })
      } catch (error) {
        refused = error
      }
      return 'ok'
    }).generate('Go')
    expect(refused).toMatchObject({ code: 'TOOL_PROGRESS_INVALID', message: expect.stringContaining(tag) })
  })
})
