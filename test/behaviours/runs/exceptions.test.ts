/** An exception in the user's code is seen by the user, with its stack, also in a run that completes. */
import {
  createAgent,
  createScorer,
  createTool,
  createTroupe,
  RetryableError,
  TerminalError,
  type AnyAgent,
  type ChatModel,
  type Clock,
  type FinalResult,
  type Problem,
  type RunEvent,
  type Schema,
} from 'troupe'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, to, worker } from '../../support/agents/agents.ts'

const secretPlace = 'thrownHere'

/** Its stack names this function. */
function thrownHere(): Error {
  return new Error('boom')
}

interface Told {
  readonly result: FinalResult
  readonly events: readonly RunEvent[]
  readonly problems: readonly Problem[]
}

/** Runs it to its end, with the journal read again: nothing is reported by that, and no stack is on record. */
async function told<Options extends object>(agent: AnyAgent<Options>): Promise<Told> {
  using warn = vi.spyOn(console, 'warn')
  const problems: Problem[] = []
  const troupe = createTroupe({ agents: [agent], onError: (problem) => problems.push(problem) })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  const events = await allEvents(run)
  const before = problems.length
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(problems).toHaveLength(before)
  const onRecord = JSON.stringify([await troupe.journal(run.id), events, result, replay])
  expect(onRecord).not.toContain(secretPlace)
  expect(onRecord).not.toContain('.ts:')
  expect(warn).not.toHaveBeenCalled()
  return { result, events, problems }
}

const note = (execute: () => unknown, more: Partial<Parameters<typeof createTool>[0]> = {}) =>
  createTool({
    id: 'note',
    description: 'Takes a note.',
    inputSchema: z.object({}),
    ...more,
    execute,
  })

const steps = [calls({ name: 'note' }), 'Done.']
const fine = { tools: { note: note(() => 'noted') } }

/** A schema that throws when it is asked about a value. */
function throwing(error: Error): Schema {
  const { jsonSchema } = z.object({})['~standard'] as Schema['~standard']
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: () => {
        throw error
      },
      ...(jsonSchema === undefined ? {} : { jsonSchema }),
    },
  }
}

const modelThat = (generate: ChatModel['generate']): ChatModel => ({
  provider: 'mine',
  modelId: 'm',
  generate,
})

type Case = readonly [what: string, agentThat: (error: Error) => AnyAgent, expected: Partial<Problem>]

const raise = (error: Error) => (): never => {
  throw error
}

const rejects = (error: Error) => async (): Promise<never> => {
  throw error
}

const exceptions: readonly Case[] = [
  [
    'a tool',
    (error) => worker('solo', steps, { tools: { note: note(raise(error)) } }).agent,
    { path: 'solo/call:1.1', effect: { kind: 'tool', key: expect.any(String) as string, name: 'note' } },
  ],
  [
    'a tool that rejects',
    (error) => worker('solo', steps, { tools: { note: note(rejects(error)) } }).agent,
    { path: 'solo/call:1.1' },
  ],
  [
    'an input schema',
    (error) =>
      worker('solo', steps, { tools: { note: note(() => '', { inputSchema: throwing(error) }) } }).agent,
    { effect: { kind: 'hook', key: expect.any(String) as string, name: 'validateArguments' } },
  ],
  [
    'an output schema',
    (error) =>
      worker('solo', steps, { tools: { note: note(() => '', { outputSchema: throwing(error) }) } }).agent,
    { effect: { kind: 'tool', key: expect.any(String) as string, name: 'note' } },
  ],
  [
    'an approval predicate',
    (error) =>
      worker('solo', steps, { tools: { note: note(() => '', { requireApproval: raise(error) }) } }).agent,
    { effect: { kind: 'hook', key: expect.any(String) as string, name: 'requireApproval' } },
  ],
  [
    'onStepFinish',
    (error) => worker('solo', ['Done.'], { onStepFinish: raise(error) }).agent,
    { path: 'solo' },
  ],
  ['onFinish', (error) => worker('solo', ['Done.'], { onFinish: raise(error) }).agent, { path: 'solo' }],
  [
    'stopWhen',
    (error) => worker('solo', steps, { ...fine, stopWhen: raise(error), hookErrors: 'ignore' }).agent,
    { path: 'solo' },
  ],
  [
    'onIterationComplete',
    (error) => lead('boss', ['Done.'], { onIterationComplete: raise(error), hookErrors: 'ignore' }).agent,
    { path: 'boss', agent: 'boss' },
  ],
  [
    'a message filter',
    (error) =>
      lead('boss', [calls(to('helper', 'Help')), 'Done.'], {
        agents: { helper: worker('helper', ['Helped.']).agent },
        delegation: { messageFilter: raise(error), includeConversationHistory: true },
        hookErrors: 'ignore',
      }).agent,
    { agent: 'boss' },
  ],
  [
    'a delegation hook',
    (error) =>
      lead('boss', [calls(to('helper', 'Help')), 'Done.'], {
        agents: { helper: worker('helper', ['Helped.']).agent },
        delegation: { onDelegationComplete: raise(error) },
      }).agent,
    { agent: 'boss', path: 'boss/delegation:1.1' },
  ],
  [
    'a scorer',
    (error) =>
      lead('boss', ['Done.'], {
        maxSteps: 1,
        completion: { scorers: [createScorer({ id: 'strict', score: raise(error) })] },
      }).agent,
    { agent: 'boss', effect: { kind: 'scorer', key: expect.any(String) as string, name: 'strict' } },
  ],
  [
    'an input processor',
    (error) =>
      worker('solo', ['Done.'], { inputProcessors: [{ id: 'in', processInput: raise(error) }] }).agent,
    { effect: { kind: 'hook', key: expect.any(String) as string, name: 'in' } },
  ],
  [
    'an output processor',
    (error) =>
      worker('solo', ['Done.'], { outputProcessors: [{ id: 'out', processOutput: raise(error) }] }).agent,
    { effect: { kind: 'hook', key: expect.any(String) as string, name: 'out' } },
  ],
  [
    'a processor of streams',
    (error) =>
      worker('solo', ['Done.'], { outputProcessors: [{ id: 'parts', processOutputStream: raise(error) }] })
        .agent,
    { effect: { kind: 'model', key: expect.any(String) as string, name: 'parts' } },
  ],
  [
    'a function of the run',
    (error) => createAgent({ id: 'solo', instructions: raise(error), model: worker('x', ['Done.']).model }),
    { path: 'solo', effect: { kind: 'hook', key: expect.any(String) as string, name: 'configure' } },
  ],
  [
    'a model',
    (error) => createAgent({ id: 'solo', instructions: '', model: modelThat(raise(error)) }),
    { path: 'solo', effect: { kind: 'model', key: expect.any(String) as string, name: 'mine/m' } },
  ],
  [
    'a tool of a subagent',
    (error) =>
      lead('boss', [calls(to('helper', 'Help')), 'Done.'], {
        agents: { helper: worker('helper', steps, { tools: { note: note(raise(error)) } }).agent },
      }).agent,
    { agent: 'helper', path: 'boss/delegation:1.1/helper/call:1.1' },
  ],
]

describe('an exception', () => {
  test.each(exceptions)(
    'of %s is reported once, as it was thrown, and listed',
    async (_, agentThat, expected) => {
      const error = thrownHere()
      const { result, problems } = await told(agentThat(error))
      expect(problems).toEqual([
        expect.objectContaining({ where: 'effect', runId: result.runId, ...expected }),
      ])
      const [problem] = problems
      expect(problem?.error).toBe(error)
      expect(error.stack).toContain(secretPlace)
      const { path, agent } = problem as Problem
      const listed = result.errors.filter((one) => one.path === path)
      expect(listed.map((one) => one.agent)).toEqual([agent])
      expect(JSON.stringify(listed)).toContain('boom')
    },
  )

  test('of a tool that is tried again is reported for each attempt, and for none that is read again', async () => {
    let attempts = 0
    const flaky = note(() => {
      if (++attempts < 3) throw new RetryableError(`busy ${attempts}`)
      return 'noted'
    })
    const { agent } = worker('solo', steps, { tools: { note: flaky } })
    const problems: Problem[] = []
    const clock: Clock = { now: () => 0, after: (_, ring) => (setImmediate(ring), () => undefined) }
    const troupe = createTroupe({ agents: [agent], clock, onError: (problem) => problems.push(problem) })
    const run = await troupe.start(agent, 'Go')
    const result = await run.result
    expect(problems.map(({ error }) => (error as Error).message)).toEqual(['busy 1', 'busy 2'])
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(result.errors.map(({ error }) => error.message)).toEqual(['busy 1', 'busy 2'])
    expect((await troupe.replay(run.id)).result).toEqual(result)
    expect(problems).toHaveLength(2)
  })

  test.each<[string, () => AnyAgent]>([
    [
      'a retryable error of a model',
      () => worker('solo', [{ error: new RetryableError('busy') }, 'Done.'], { retries: 1 }).agent,
    ],
    ['a terminal error of a model', () => worker('solo', [{ error: new TerminalError('no') }]).agent],
    [
      'arguments that do not fit',
      () =>
        worker('solo', steps, {
          tools: { note: note(() => '', { inputSchema: z.object({ a: z.string() }) }) },
        }).agent,
    ],
    [
      'a suspension',
      () =>
        worker('solo', [calls({ name: 'note' })], {
          tools: {
            note: createTool({
              id: 'note',
              description: 'Waits.',
              inputSchema: z.object({}),
              execute: (_, { suspend }) => suspend({}),
            }),
          },
        }).agent,
    ],
    [
      'a refusal of a processor',
      () =>
        worker('solo', ['Done.'], {
          inputProcessors: [{ id: 'in', processInput: ({ abort }) => abort('no') }],
        }).agent,
    ],
  ])('is not what %s is', async (_, agentThat) => {
    const agent = agentThat()
    const onError = vi.fn<(problem: Problem) => void>()
    const clock: Clock = { now: () => 0, after: (_delay, ring) => (setImmediate(ring), () => undefined) }
    const run = await createTroupe({ agents: [agent], clock, onError }).start(agent, 'Go')
    await run.whenIdle
    expect(onError).not.toHaveBeenCalled()
  })

  test('after a cancel is how a tool stops, and not reported', async () => {
    const started = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    const slow = createTool({
      id: 'slow',
      description: 'Works until it is told to stop.',
      inputSchema: z.object({}),
      async execute(_, { signal }) {
        started.resolve()
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ).finally(() => stopped.resolve())
      },
    })
    const { agent } = worker('solo', [calls({ name: 'slow' })], { tools: { slow } })
    const onError = vi.fn<(problem: Problem) => void>()
    const run = await createTroupe({ agents: [agent], onError }).start(agent, 'Go')
    await started.promise
    await run.cancel('enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    await stopped.promise
    await new Promise((resolve) => setImmediate(resolve))
    expect(onError).not.toHaveBeenCalled()
  })
})

describe('a function that never answers', () => {
  const never = () => new Promise<never>(() => undefined)

  test.each<[string, string, string, () => AnyAgent]>([
    [
      'an observer',
      'hook',
      'HOOK_TIMEOUT',
      () => worker('solo', ['Done.'], { hookTimeout: 20, onFinish: never }).agent,
    ],
    [
      'a tool with a timeout',
      'tool',
      'TOOL_TIMEOUT',
      () => worker('solo', steps, { tools: { note: note(never, { timeout: 20 }) } }).agent,
    ],
  ])('%s, is reported once when its deadline passes', async (_, kind, code, agentThat) => {
    const { result, problems } = await told(agentThat())
    expect(result.outcome).toBe('completed')
    expect(problems).toEqual([
      expect.objectContaining({ where: 'effect', effect: expect.objectContaining({ kind }) }),
    ])
    expect(problems[0]?.error).toMatchObject({ name: 'TimeoutError', code })
    expect(problems[0]?.message).toContain('did not answer in time')
    expect(result.errors).toMatchObject([{ error: { code } }])
  })
})

describe('result.errors', () => {
  test('lists the errors of the whole tree in the order of the journal, each once', async () => {
    const fragile = note(raise(new Error('no paper')))
    const helper = worker('helper', [calls({ name: 'note' }), 'Helped.'], { tools: { note: fragile } }).agent
    const broken = createAgent({
      id: 'broken',
      description: 'Fails.',
      instructions: '',
      model: modelThat(raise(new Error('no model'))),
    })
    const { agent } = lead(
      'boss',
      [calls(to('helper', 'Help')), calls(to('broken', 'Try'), { name: 'unknown' }), 'Done.'],
      {
        agents: { helper, broken },
      },
    )
    const { result } = await told(agent)
    expect(result.outcome).toBe('completed')
    expect(result.errors.map(({ path, agent: of, error: { code } }) => [path, of, code])).toEqual([
      ['boss/delegation:1.1/helper/call:1.1', 'helper', 'TOOL_FAILED'],
      ['boss/call:2.2', 'boss', 'INVALID_TOOL_CALL'],
      ['boss/delegation:2.1/broken', 'broken', 'MODEL_FAILED'],
    ])
    expect(result.errors[0]).toMatchObject({ effect: { kind: 'tool' } })
  })

  test('is empty where nothing went wrong, and of a suspended run holds what did', async () => {
    expect((await told(worker('solo', ['Done.']).agent)).result.errors).toEqual([])
    const held = createTool({
      id: 'held',
      description: 'Needs a person.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'done',
    })
    const { agent } = worker('solo', [calls({ name: 'note' }), calls({ name: 'held' })], {
      tools: { note: note(raise(new Error('boom'))), held },
    })
    const result = await createTroupe({ agents: [agent], onError: () => undefined })
      .start(agent, 'Go')
      .then((run) => run.whenIdle)
    expect(result).toMatchObject({ outcome: 'suspended', errors: [{ path: 'solo/call:1.1', agent: 'solo' }] })
  })

  test('holds the error that a run failed with, once', async () => {
    const { result } = await told(worker('solo', [{ error: new TerminalError('no', { code: 'NO' }) }]).agent)
    expect(result).toMatchObject({ outcome: 'failed', errors: [{ path: 'solo', error: { code: 'NO' } }] })
    expect(result.errors).toHaveLength(1)
  })
})
