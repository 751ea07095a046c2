/** Nothing that a model, tool, hook, scorer, store or subscriber does may crash the process or hang a run. */
import {
  createAgent,
  createScorer,
  createTool,
  createTroupe,
  memoryStore,
  RetryableError,
  TerminalError,
  type AnyAgent,
  type ChatModel,
  type ErrorData,
  type FinalResult,
  type RunEvent,
  type Store,
  type SupervisorOptions,
} from 'troupe'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  allEvents,
  calls,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'
import { rejection } from '../../support/agents/model-calls.ts'
import { virtualClock } from '../../support/clocks/virtual-clock.ts'

/** What escaped into the process; vitest alone would only report it after the run. */
const escaped: unknown[] = []
const onEscape = (reason: unknown): void => {
  escaped.push(reason)
}

beforeAll(() => {
  process.on('unhandledRejection', onEscape)
  process.on('uncaughtException', onEscape)
})

afterAll(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', onEscape)
  process.off('uncaughtException', onEscape)
  expect(escaped).toEqual([])
})

const boom = (): never => {
  throw new Error('boom')
}
const boomLater = async (): Promise<never> => boom()

const note = createTool({
  id: 'note',
  description: 'Takes a note.',
  inputSchema: z.object({}),
  execute: () => 'noted',
})

async function settled<Options extends object>(
  agent: AnyAgent<Options>,
): Promise<{ result: FinalResult; events: RunEvent[] }> {
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  const events = await allEvents(run)
  // Whatever happened, it is on record and can be read again.
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events }
}

const errorsOf = (events: readonly RunEvent[]): readonly ErrorData[] =>
  only(events, 'error').map((event) => event.payload.error)

describe('a tool', () => {
  const toolThat = (execute: () => unknown) =>
    createTool({ id: 'tool', description: 'Does something.', inputSchema: z.object({}), execute })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular

  test.each([
    { what: 'throws', execute: boom, code: 'TOOL_FAILED', message: 'boom' },
    { what: 'rejects', execute: boomLater, code: 'TOOL_FAILED', message: 'boom' },
    {
      what: 'throws a terminal error',
      execute: () => {
        throw new TerminalError('no such file', { code: 'ENOENT' })
      },
      code: 'ENOENT',
      message: 'no such file',
    },
    {
      what: 'returns a BigInt',
      execute: () => 10n,
      code: 'TOOL_RESULT_NOT_JSON',
      message: 'The result of the tool "tool" cannot be written as JSON: result is a bigint.',
    },
    {
      what: 'returns something circular',
      execute: () => circular,
      code: 'TOOL_RESULT_NOT_JSON',
      message: 'The result of the tool "tool" cannot be written as JSON: result.self contains itself.',
    },
    {
      what: 'returns something whose toJSON throws',
      execute: () => ({ toJSON: boom }),
      code: 'TOOL_RESULT_NOT_JSON',
      message: 'The result of the tool "tool" cannot be written as JSON: result has a toJSON that throws.',
    },
  ])(
    'that $what fails its call; the model hears only that, and the run goes on',
    async ({ execute, code, message }) => {
      const { agent, model } = worker('solo', [calls({ name: 'tool' }), 'Never mind.'], {
        tools: { tool: toolThat(execute) },
      })
      const { result, events } = await settled(agent)
      expect(result).toMatchObject({ outcome: 'completed', text: 'Never mind.' })
      expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'failed', error: { code, message } }])
      expect(only(events, 'tool-error').map((event) => event.payload)).toMatchObject([
        { toolCallId: 'solo/call:1.1', toolName: 'tool', outcome: 'failed', error: { code, message } },
      ])
      expect(toldOfCalls(model, 2)).toEqual(['{"error":"The tool \\"tool\\" failed."}'])
    },
  )

  test.each([
    { what: 'undefined', value: undefined, told: 'null', recorded: null },
    { what: 'null', value: null, told: 'null', recorded: null },
    {
      what: 'a Date',
      value: new Date(0),
      told: '1970-01-01T00:00:00.000Z',
      recorded: '1970-01-01T00:00:00.000Z',
    },
    { what: 'the empty text', value: '', told: '', recorded: '' },
  ])('that returns $what: recorded as JSON can hold it', async ({ value, told, recorded }) => {
    const { agent, model } = worker('solo', [calls({ name: 'tool' }), 'Done.'], {
      tools: { tool: toolThat(() => value) },
    })
    const { result } = await settled(agent)
    expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'succeeded', value: recorded }])
    expect(toldOfCalls(model, 2)).toEqual([told])
  })

  test('that throws a RetryableError is tried again, with the same idempotency key, up to `retries` times', async () => {
    const clock = virtualClock()
    const keys: string[] = []
    const flaky = createTool({
      id: 'flaky',
      description: 'Fails.',
      inputSchema: z.object({}),
      execute: (_, { idempotencyKey }) => {
        keys.push(idempotencyKey)
        throw new RetryableError('busy', { code: 'BUSY' })
      },
    })
    const { agent } = worker('solo', [calls({ name: 'flaky' }), 'Gave up.'], { tools: { flaky }, retries: 2 })
    const run = await createTroupe({ agents: [agent], clock }).start(agent, 'Go')
    await clock.armed()
    clock.advance(500)
    await clock.armed()
    clock.advance(1_000)
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Gave up.' })
    expect(result.steps[0]?.toolResults).toMatchObject([{ outcome: 'failed', error: { code: 'BUSY' } }])
    expect(keys).toEqual(Array.from({ length: 3 }, () => `${run.id}/solo/call:1.1`))
  })

  test('whose output schema does not fit, or throws, fails its call', async () => {
    for (const outputSchema of [z.string(), z.number().refine(boom)]) {
      const wrong = createTool({
        id: 'wrong',
        description: 'Answers wrongly.',
        inputSchema: z.object({}),
        outputSchema,
        execute: (): unknown => 42,
      })
      const { agent } = worker('solo', [calls({ name: 'wrong' }), 'Never mind.'], { tools: { wrong } })
      const { result } = await settled(agent)
      expect(result.steps[0]?.toolResults).toMatchObject([
        { outcome: 'failed', error: { code: 'INVALID_TOOL_OUTPUT' } },
      ])
    }
  })

  test('that never settles holds its run until it is cancelled', async () => {
    const began = Promise.withResolvers<void>()
    const stuck = toolThat(() => {
      began.resolve()
      return new Promise<never>(() => undefined)
    })
    const { agent } = worker('solo', [calls({ name: 'tool' })], { tools: { tool: stuck } })
    const run = agent.stream('Go')
    await began.promise
    await run.cancel()
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
  })
})

describe('a schema', () => {
  const toolWith = (inputSchema: z.ZodType<object>, ran: unknown[]) =>
    createTool({
      id: 'tool',
      description: 'Does something.',
      inputSchema,
      execute: (input) => {
        ran.push(input)
        return 'done'
      },
    })

  test('with a refinement that throws fails the call; the tool never runs, and the model hears only that', async () => {
    for (const refinement of [boom, boomLater]) {
      const ran: unknown[] = []
      const { agent, model } = worker('solo', [calls({ name: 'tool', args: { n: 1 } }), 'Never mind.'], {
        tools: { tool: toolWith(z.object({ n: z.number().refine(refinement) }), ran) },
      })
      const { result } = await settled(agent)
      expect(result).toMatchObject({ outcome: 'completed', text: 'Never mind.' })
      expect(result.steps[0]?.toolResults).toMatchObject([
        {
          outcome: 'failed',
          error: {
            code: 'SCHEMA_FAILED',
            message: 'The input schema of "tool" failed: boom',
            cause: { message: 'boom' },
          },
        },
      ])
      expect(toldOfCalls(model, 2)).toEqual(['{"error":"The tool \\"tool\\" failed."}'])
      expect(ran).toEqual([])
    }
  })

  test('that answers later is waited for: what it finds wrong is told, what it changes is handed over', async () => {
    const ran: unknown[] = []
    const schema = z.object({
      n: z
        .number()
        .refine(async (n) => n > 0, 'must be positive')
        .transform(async (n) => n * 2),
    })
    const { agent, model } = worker(
      'solo',
      [calls({ name: 'tool', args: { n: -1 } }), calls({ name: 'tool', args: { n: 21 } }), 'Done.'],
      { tools: { tool: toolWith(schema, ran) } },
    )
    const { result } = await settled(agent)
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 2)).toEqual([
      '{"error":"Invalid arguments for \\"tool\\": n: must be positive"}',
    ])
    expect(ran).toEqual([{ n: 42 }])
  })
})

describe('a hook', () => {
  const helperCalls = [calls(to('helper', 'Help')), 'Done.']
  const failure = { name: 'Error', code: 'HOOK_FAILED', message: 'boom' }

  /** A run of a supervisor whose subagent answers, with one hook that fails. */
  function withHook(options: SupervisorOptions) {
    const helper = worker('helper', ['Help.'])
    return { helper, ...lead('lead', helperCalls, { agents: { helper: helper.agent }, ...options }) }
  }

  test.each([
    { hook: 'onDelegationStart', ran: 0 },
    { hook: 'messageFilter', ran: 0 },
    { hook: 'onDelegationComplete', ran: 1 },
  ] as const)('$hook that throws fails its delegation; the run goes on', async ({ hook, ran }) => {
    for (const throws of [boom, boomLater]) {
      const { agent, model, helper } = withHook({ delegation: { [hook]: throws } })
      const { result } = await settled(agent)
      expect(result).toMatchObject({
        outcome: 'completed',
        text: 'Done.',
        delegations: [{ outcome: 'failed', error: failure, hookError: failure }],
      })
      expect(helper.model.calls).toHaveLength(ran)
      expect(toldOfCalls(model, 2)).toEqual(['{"error":"The agent \\"helper\\" failed."}'])
    }
  })

  test.each(['onDelegationStart', 'messageFilter', 'onDelegationComplete'] as const)(
    "%s that throws under hookErrors 'ignore' is announced, recorded, and treated as absent",
    async (hook) => {
      const { agent } = withHook({ delegation: { [hook]: boom }, hookErrors: 'ignore' })
      const { result, events } = await settled(agent)
      expect(result).toMatchObject({
        outcome: 'completed',
        delegations: [{ outcome: 'succeeded', text: 'Help.', hookError: failure }],
      })
      expect(errorsOf(events)).toEqual([failure])
    },
  )

  test.each(['onIterationComplete', 'stopWhen'] as const)(
    '%s that throws fails the run, with its error',
    async (hook) => {
      for (const throws of [boom, boomLater]) {
        const { result, events } = await settled(withHook({ [hook]: throws }).agent)
        expect(result).toMatchObject({ outcome: 'failed', error: failure })
        expect(errorsOf(events)).toEqual([failure])
      }
    },
  )

  test.each([
    { hook: 'onIterationComplete', errors: 2 },
    { hook: 'stopWhen', errors: 1 },
  ] as const)(
    "$hook that throws under hookErrors 'ignore' is announced and treated as absent",
    async ({ hook, errors }) => {
      const { result, events } = await settled(withHook({ [hook]: boom, hookErrors: 'ignore' }).agent)
      expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
      expect(errorsOf(events)).toEqual(Array.from({ length: errors }, () => failure))
    },
  )

  test.each([
    { hook: 'onStepFinish', errors: 2 },
    { hook: 'onFinish', errors: 1 },
  ] as const)('$hook that throws is announced, and changes nothing', async ({ hook, errors }) => {
    for (const hookErrors of ['fail', 'ignore'] as const) {
      const { result, events } = await settled(withHook({ [hook]: boomLater, hookErrors }).agent)
      expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
      expect(errorsOf(events)).toEqual(Array.from({ length: errors }, () => failure))
    }
  })

  test.each([
    { hook: 'onIterationComplete', answer: '{"continue":"yes"}', field: 'continue' },
    { hook: 'onIterationComplete', answer: '7', field: 'its answer' },
  ] as const)(
    '$hook that answers $answer fails, and the error names what was wrong',
    async ({ hook, answer, field }) => {
      const { result } = await settled(withHook({ [hook]: () => JSON.parse(answer) as never }).agent)
      expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_HOOK_RESULT' } })
      expect(result.outcome === 'failed' && result.error.message).toContain(
        `${hook} answered with something else than expected: ${field}`,
      )
    },
  )

  test.each([
    { hook: 'onDelegationStart', answer: '{"proceed":"no"}' },
    { hook: 'onDelegationStart', answer: '{"modifiedMaxSteps":0}' },
    { hook: 'messageFilter', answer: '[{"role":"wizard","content":"abracadabra"}]' },
    { hook: 'messageFilter', answer: 'null' },
    { hook: 'onDelegationComplete', answer: '{"feedback":12}' },
  ] as const)('$hook that answers $answer fails its delegation', async ({ hook, answer }) => {
    const { agent } = withHook({ delegation: { [hook]: () => JSON.parse(answer) as never } })
    const { result } = await settled(agent)
    expect(result).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'failed', hookError: { code: 'INVALID_HOOK_RESULT' } }],
    })
  })

  test('that changes what it was handed changes nothing of the run', async () => {
    const { agent, model } = lead('lead', ['A draft.', 'Done.'], {
      onIterationComplete: ({ iteration, messages, allSteps }) => {
        ;(messages as unknown[]).length = 0
        ;(allSteps as unknown[]).length = 0
        return iteration === 1 ? { continue: true, feedback: 'Again.' } : undefined
      },
    })
    const { result } = await settled(agent)
    expect(result.steps).toHaveLength(2)
    expect(shown(model, 2).map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'user'])
  })
})

describe('a scorer', () => {
  test('that throws or rejects is errored, and the run goes on', async () => {
    for (const throws of [boom, boomLater]) {
      let asked = 0
      const judge = createScorer({ id: 'judge', score: () => (++asked === 1 ? throws() : 1) })
      const { agent } = lead('lead', ['One.', 'Two.'], { completion: { scorers: [judge] } })
      const { result } = await settled(agent)
      expect(result).toMatchObject({
        outcome: 'completed',
        text: 'Two.',
        scores: [
          { outcome: 'errored', results: [{ error: { code: 'SCORER_FAILED', message: 'boom' } }] },
          { outcome: 'passed' },
        ],
      })
    }
  })
})

describe('a model', () => {
  function modelThat(generate: ChatModel['generate']): ChatModel {
    return { provider: 'test', modelId: 'faulty', generate }
  }
  const soloOn = (model: ChatModel) => createAgent({ id: 'solo', instructions: 'Speak.', model })

  test('that throws instead of rejecting fails the run', async () => {
    const { result, events } = await settled(soloOn(modelThat(boom)))
    const error = { name: 'Error', code: 'MODEL_FAILED', message: 'boom' }
    expect(result).toMatchObject({ outcome: 'failed', error })
    expect(errorsOf(events)).toEqual([error])
  })

  const { proxy: revoked, revoke } = Proxy.revocable({}, {})
  revoke()

  test.each([
    { what: 'a text', thrown: 'just a text', message: 'just a text' },
    { what: 'nothing', thrown: undefined, message: 'undefined' },
    { what: 'null', thrown: null, message: 'null' },
    { what: 'a BigInt', thrown: 10n, message: '[object BigInt]' },
    { what: 'a plain object', thrown: { status: 500 }, message: '{"status":500}' },
    {
      what: 'an object with a getter that throws',
      thrown: {
        get message(): string {
          return boom()
        },
      },
      message: '[object Object]',
    },
    { what: 'a revoked proxy', thrown: revoked, message: 'Something was thrown that cannot be looked at.' },
  ])('that throws $what fails the run with an error all the same', async ({ thrown, message }) => {
    const { agent } = worker('solo', [{ error: thrown }])
    const { result } = await settled(agent)
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { name: 'Error', code: 'MODEL_FAILED', message },
    })
  })

  test('keeps the causes of its error, though they go round in a circle', async () => {
    const inner = new Error('inner')
    const outer = new Error('outer', { cause: inner })
    inner.cause = outer
    const { agent } = worker('solo', [{ error: outer }])
    const { result } = await settled(agent)
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { message: 'outer', cause: { message: 'inner', cause: { message: 'outer' } } },
    })
  })

  test.each([
    { what: 'nothing', reply: 'null' },
    { what: 'a text', reply: '"Hello."' },
    { what: 'calls that are no list', reply: '{"text":"","toolCalls":"none"}' },
    { what: 'a call without a name', reply: '{"text":"","toolCalls":[{"id":"1","args":{}}]}' },
    { what: 'reasoning that is no text', reply: '{"text":"Hello.","reasoning":7}' },
  ])('that replies with $what fails the run, typed', async ({ reply }) => {
    const { result } = await settled(soloOn(modelThat(async () => JSON.parse(reply) as never)))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'MODEL_REPLY_INVALID' } })
    expect(result.outcome === 'failed' && result.error.message).toContain(
      'The model "test/faulty" gave no usable reply',
    )
  })

  test.each([
    { what: 'only a text', reply: '{"text":"Hello."}' },
    { what: 'an unknown finish reason', reply: '{"text":"Hello.","finishReason":"tired"}' },
    {
      what: 'broken usage',
      reply: '{"text":"Hello.","usage":{"inputTokens":"many","outputTokens":-1,"totalTokens":null}}',
    },
  ])('that replies with $what: what can be used is', async ({ reply }) => {
    const { result } = await settled(soloOn(modelThat(async () => JSON.parse(reply) as never)))
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Hello.',
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      steps: [{ text: 'Hello.' }],
    })
  })

  test('that misuses onDelta fails the run and nothing else', async () => {
    const { result } = await settled(
      soloOn(
        modelThat(async (_request, { onDelta }) => {
          onDelta?.(JSON.parse('null') as never)
          return JSON.parse('{"text":"Hello."}') as never
        }),
      ),
    )
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'MODEL_FAILED', message: 'onDelta must be given a piece of a reply, not null.' },
    })
  })

  test('that never settles, and ignores its signal: a cancel ends the run all the same', async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const agent = soloOn(
      modelThat((_request, { signal }) => {
        asked.resolve(signal)
        return new Promise<never>(() => undefined)
      }),
    )
    const run = agent.stream('Go')
    const signal = await asked.promise
    await run.cancel('waited long enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'waited long enough' })
    expect(signal.aborted).toBe(true)
  })

  test('of a child: only its delegation fails', async () => {
    const child = createAgent({
      id: 'child',
      description: 'Fails.',
      instructions: '',
      model: modelThat(boom),
    })
    const { agent, model } = lead('lead', [calls(to('child', 'Try')), 'It failed.'], { agents: { child } })
    const { result } = await settled(agent)
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'It failed.',
      delegations: [{ outcome: 'failed', error: { code: 'MODEL_FAILED', message: 'boom' } }],
    })
    expect(toldOfCalls(model, 2).join()).not.toContain('boom')
  })
})

describe('an observer', () => {
  test('an inspector that throws is logged, and changes nothing', async () => {
    using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { agent } = worker('solo', [calls({ name: 'note' }), 'Done.'], { tools: { note } })
    const run = await createTroupe({ agents: [agent], inspect: boom }).start(agent, 'Go')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(log.mock.calls).toEqual([
      ['troupe: an inspector threw; the same error is not reported again', new Error('boom')],
    ])
  })

  test('subscribers and listeners of any actor of the run that throw are logged, and change nothing', async () => {
    using log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { agent } = worker('solo', [calls({ name: 'note' }), 'Done.'], { tools: { note } })
    const run = agent.stream('Go')
    const { children } = run.actor.getSnapshot()
    for (const actor of [run.actor, ...Object.values(children)]) {
      actor.subscribe(boom)
      actor.subscribe({ next: boom, complete: boom, error: boom })
      actor.on('*', boom)
    }
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(new Set(log.mock.calls.map((call) => String(call[0])))).toEqual(
      new Set([
        'troupe: a subscriber threw; the same error is not reported again',
        'troupe: a listener threw; the same error is not reported again',
      ]),
    )
  })

  test('a subscriber that does not throw is told, and can leave', async () => {
    const { agent } = worker('solo', ['Done.'])
    const run = agent.stream('Go')
    const seen: string[] = []
    const left = run.actor.subscribe(() => seen.push('left'))
    left.unsubscribe()
    run.actor.subscribe({
      next: (snapshot: { readonly status: string }) => seen.push(snapshot.status),
      complete: () => seen.push('complete'),
    })
    await run.result
    expect(seen).toEqual(['done', 'complete'])
  })
})

describe('a store', () => {
  /** A store that takes this many appends and then fails. */
  function failingAfter(
    appends: number,
    fail: () => void | Promise<void>,
  ): Store & { readonly taken: number } {
    const inner = memoryStore()
    let taken = 0
    return {
      ...inner,
      get taken() {
        return taken
      },
      append(batch) {
        if (taken === appends) return fail()
        taken++
        return inner.append(batch)
      },
    }
  }

  const failures = { throws: boom, rejects: boomLater }

  describe.each(['throws', 'rejects'] as const)('that %s', (how) => {
    test('at the very start: start rejects, there is no run, and the model is never called', async () => {
      const { agent, model } = worker('solo', [])
      const store = failingAfter(0, failures[how])
      const troupe = createTroupe({ agents: [agent], store })
      await expect(troupe.start(agent, 'Go')).rejects.toMatchObject({
        name: 'StoreError',
        code: 'STORE_FAILED',
        message: expect.stringContaining('The store did not take the journal of the run'),
        runId: expect.any(String),
        cause: { message: 'boom' },
      })
      expect(model.calls).toEqual([])
      expect((await troupe.runs()).items).toEqual([])
      await troupe.close()
    })

    test('at any later entry: the handle rejects, what was not durable is not delivered, and nothing more is tried', async () => {
      for (let appends = 1; ; appends++) {
        const { agent, model } = worker('solo', [calls({ name: 'note' }), 'Done.'], { tools: { note } })
        const store = failingAfter(appends, failures[how])
        const run = await createTroupe({ agents: [agent], store }).start(agent, 'Go')
        const [told] = await Promise.allSettled([run.result])
        const events = await allEvents(run)
        if (told.status === 'fulfilled') {
          expect(appends).toBe(6)
          expect(events.at(-1)).toMatchObject({ type: 'run-finish', payload: { outcome: 'completed' } })
          break
        }
        expect(told.reason).toMatchObject({ code: 'STORE_FAILED', runId: run.id })
        expect(events.filter(({ final }) => final)).toEqual([])
        expect(store.taken).toBe(appends)
        expect(await store.read(run.id)).toHaveLength(appends)
        // run.started, model 1, effect.started, tool, model 2, run.settled
        expect(model.calls).toHaveLength(appends < 4 ? 1 : 2)
        expect(only(events, 'tool-result')).toHaveLength(appends < 4 ? 0 : 1)
        expect(await rejection(run.cancel())).toBe(told.reason)
        expect(await rejection(run.whenIdle)).toBe(told.reason)
      }
    })

    test('for one run: another one of the same troupe goes on', async () => {
      const gate = Promise.withResolvers<void>()
      const { agent } = worker('solo', [], { otherwise: { text: 'Done.', until: gate.promise } })
      const inner = memoryStore()
      let fails = false
      const store: Store = { ...inner, append: (batch) => (fails ? failures[how]() : inner.append(batch)) }
      const troupe = createTroupe({ agents: [agent], store })
      const healthy = await troupe.start(agent, 'One')
      await until(healthy, 'step-start')
      fails = true
      await expect(troupe.start(agent, 'Two')).rejects.toMatchObject({ code: 'STORE_FAILED' })
      fails = false
      gate.resolve()
      expect(await healthy.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    })

    test('while a child is at work: its model call is aborted', async () => {
      const child = worker('child', [{ hang: true }])
      const { agent } = lead('lead', [calls(to('child', 'Work'), { name: 'note' })], {
        agents: { child: child.agent },
        tools: { note },
      })
      // run.started, the reply of the lead, effect.started of the tool; then its outcome.
      const run = await createTroupe({ agents: [agent], store: failingAfter(3, failures[how]) }).start(
        agent,
        'Go',
      )
      await expect(run.result).rejects.toMatchObject({ code: 'STORE_FAILED', runId: run.id })
      expect(child.model.calls.map((call) => call.signal.aborted)).toEqual([true])
    })
  })

  test('whose append gives back something that is no promise: taken', async () => {
    const { agent } = worker('solo', ['Done.'])
    const inner = memoryStore()
    const taken: unknown[] = []
    const append = (batch: Parameters<Store['append']>[0]): number => {
      void inner.append(batch)
      return taken.push(...batch)
    }
    // A function that gives back a number may stand where one that gives back nothing is expected.
    const returnsVoid: (batch: Parameters<Store['append']>[0]) => void = append
    const run = await createTroupe({ agents: [agent], store: { ...inner, append: returnsVoid } }).start(
      agent,
      'Go',
    )
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(taken).toHaveLength(3)
  })

  test('that gives back a promise is waited for, before anything is delivered', async () => {
    const { agent, model } = worker('solo', ['Done.'])
    const inner = memoryStore()
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const store: Store = {
      ...inner,
      append: async (batch) => {
        asked.resolve()
        await gate.promise
        await inner.append(batch)
      },
    }
    const starting = createTroupe({ agents: [agent], store }).start(agent, 'Go')
    await asked.promise
    expect(model.calls).toEqual([])
    gate.resolve()
    expect(await (await starting).result).toMatchObject({ outcome: 'completed' })
  })
})
