/** Runs that a tool or a workflow of another run begins: found again by the key of the call and a name. */
import {
  createTool,
  createTroupe,
  createWorkflow,
  memoryStore,
  type AnyAgent,
  type FinalResult,
  type Store,
  type ToolExecution,
  type Troupe,
} from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { assign, setup } from 'xstate'
import { z } from 'zod'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { calls, lead, to, until, worker } from '../../support/agents/agents.ts'
import { virtualEnvironment } from '../../support/clocks/virtual-environment.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

type Begin = (execution: ToolExecution) => unknown

const nest = (execute: Begin, more: { timeout?: number } = {}) =>
  createTool({
    id: 'nest',
    description: 'Begins runs.',
    inputSchema: z.object({}),
    execute: (_, execution) => execute(execution),
    ...more,
  })

/** An agent that calls `nest` once, then answers. */
const outerOf = (execute: Begin, more: { timeout?: number; budget?: object; maxDepth?: number } = {}) => {
  const { timeout, ...options } = more
  const tools = { nest: nest(execute, timeout === undefined ? {} : { timeout }) }
  return lead('outer', [calls({ name: 'nest' }), 'Done.'], { tools, ...options })
}

const nestedOf = async (troupe: Troupe) =>
  (await troupe.runs()).items.filter(({ runId }) => runId.startsWith('nested-'))

test('resolves with the result, and inherits what the run was given', async () => {
  const inner = worker('inner', ['The letter.'])
  const results: FinalResult[] = []
  const outer = outerOf(async ({ start }) => {
    results.push(await start(inner.agent, 'Write'))
    return 'sent'
  })
  const troupe = createTroupe({ agents: [outer.agent, inner.agent] })
  const options = { resourceId: 'ann', conversationId: 'c1', context: { tenant: 'a' } }
  const run = await troupe.start(outer.agent, 'Go', options)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(results).toMatchObject([{ outcome: 'completed', text: 'The letter.' }])
  const [nested] = await nestedOf(troupe)
  expect(nested).toMatchObject({ agent: 'inner', resourceId: 'ann', conversationId: 'c1' })
  const [started] = await troupe.journal(nested?.runId ?? '')
  expect(started).toMatchObject({ nested: { runId: run.id, name: 1 }, context: { tenant: 'a' } })
  await troupe.close()
})

test('of an agent without a troupe works too', async () => {
  const inner = worker('inner', ['The letter.'])
  const outer = outerOf(async ({ start }) => (await start(inner.agent, 'Write')).text)
  const result = await outer.agent.generate('Go')
  expect(result.steps[0]?.toolResults).toMatchObject([{ value: 'The letter.' }])
})

test('an attempt that is repeated joins its runs by their order or their name, and does nothing of them again', async () => {
  const inner = worker('inner', ['One.', 'Two.', 'Three.'])
  let attempts = 0
  const texts: string[] = []
  const tool = createTool({
    id: 'nest',
    description: 'Begins runs.',
    inputSchema: z.object({}),
    async execute(_, { start, suspend, resumeData }) {
      attempts++
      const first = await start(inner.agent, 'First')
      const second = await start(inner.agent, 'Second')
      const third = await start(inner.agent, 'Third', { name: 'third' })
      texts.push(first.text, second.text, third.text)
      if (resumeData === undefined) suspend()
      return 'ok'
    },
  })
  const outer = lead('outer', [calls({ name: 'nest' }), 'Done.'], { tools: { nest: tool } })
  const troupe = createTroupe({ agents: [outer.agent, inner.agent] })
  const run = await troupe.start(outer.agent, 'Go')
  const { payload } = await until(run, 'suspended')
  await run.resume(payload.awaiting[0]?.toolCallId ?? '', true)
  expect(await run.result).toMatchObject({ text: 'Done.' })
  expect(attempts).toBe(2)
  expect(texts).toEqual(['One.', 'Two.', 'Three.', 'One.', 'Two.', 'Three.'])
  expect(inner.model.calls).toHaveLength(3)
  expect(await nestedOf(troupe)).toHaveLength(3)
  await troupe.close()
})

test.each([
  ['another prompt', (first: boolean) => (first ? 'One' : 'Two'), 'begun with another prompt'],
  ['another agent', () => 'One', 'for the agent "inner"'],
])('%s under the same place is refused', async (what, prompt, words) => {
  const inner = worker('inner', [], { otherwise: 'Inner.' })
  const other = worker('other', [], { otherwise: 'Other.' })
  let attempts = 0
  const errors: unknown[] = []
  const tool = nest(async ({ start, suspend, resumeData }) => {
    const isFirst = ++attempts === 1
    const agent: AnyAgent = what === 'another agent' && !isFirst ? other.agent : inner.agent
    await start(agent, prompt(isFirst)).catch((error: unknown) => errors.push(error))
    if (resumeData === undefined) suspend()
    return 'ok'
  })
  const outer = lead('outer', [calls({ name: 'nest' }), 'Done.'], { tools: { nest: tool } })
  const troupe = createTroupe({ agents: [outer.agent, inner.agent, other.agent] })
  const run = await troupe.start(outer.agent, 'Go')
  const { payload } = await until(run, 'suspended')
  await run.resume(payload.awaiting[0]?.toolCallId ?? '', true)
  await run.result
  expect(errors).toMatchObject([{ name: 'NestedRunError', code: 'NESTED_RUN_DIFFERS' }])
  expect(String(errors[0])).toContain(words)
  expect(other.model.calls).toHaveLength(0)
  await troupe.close()
})

test('options that a nested run cannot have are refused by name', async () => {
  const inner = worker('inner', [], { otherwise: 'Inner.' })
  const errors: unknown[] = []
  const outer = outerOf(async ({ start }) => {
    const wrong = [{ detached: true }, { name: '' }, { onStepFinish: () => undefined }, { maxStep: 2 }]
    for (const options of wrong)
      await start(inner.agent, 'Go', options as object).catch((error: unknown) => errors.push(error))
    return 'ok'
  })
  const troupe = createTroupe({ agents: [outer.agent, inner.agent] })
  await (
    await troupe.start(outer.agent, 'Go')
  ).result
  expect(errors.map((error) => (error as { code: string }).code)).toEqual(
    Array.from({ length: 4 }, () => 'INVALID_CONFIGURATION'),
  )
  for (const [index, word] of ['troupe.start', 'name', 'functions', 'maxStep'].entries())
    expect(String(errors[index])).toContain(word)
  expect(inner.model.calls).toHaveLength(0)
  await troupe.close()
})

describe('its end', () => {
  const waiting = () => {
    const reached = Promise.withResolvers<void>()
    const inner = worker('inner', [], {
      otherwise: () => {
        reached.resolve()
        return { text: 'Late.', until: new Promise(() => undefined) }
      },
    })
    return { inner, reached: reached.promise }
  }

  test('a cancel of the outer run cancels it, with its reason', async () => {
    const { inner, reached } = waiting()
    const reasons: unknown[] = []
    const outer = outerOf(({ start, signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason))
      return start(inner.agent, 'Write')
    })
    const troupe = createTroupe({ agents: [outer.agent, inner.agent] })
    const run = await troupe.start(outer.agent, 'Go')
    await reached
    const [nested] = await nestedOf(troupe)
    const handle = await troupe.resume(nested?.runId ?? '')
    await run.cancel('Enough.')
    expect(await run.result).toMatchObject({ outcome: 'cancelled' })
    expect(await handle.result).toMatchObject({ outcome: 'cancelled', reason: 'Enough.' })
    expect(reasons).toMatchObject([{ name: 'CancelledError', code: 'CANCELLED', message: 'Enough.' }])
    await troupe.close()
  })

  test('a timeout of the call cancels it', async () => {
    const environment = virtualEnvironment()
    const { inner, reached } = waiting()
    const reasons: unknown[] = []
    const outer = outerOf(
      ({ start, signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        return start(inner.agent, 'Write')
      },
      { timeout: 1_000 },
    )
    const problems: unknown[] = []
    const troupe = createTroupeIn(environment, {
      agents: [outer.agent, inner.agent],
      onError: (problem) => problems.push(problem),
    })
    const run = await troupe.start(outer.agent, 'Go')
    await reached
    const [nested] = await nestedOf(troupe)
    const handle = await troupe.resume(nested?.runId ?? '')
    await environment.clock.elapse(1_500)
    expect(await handle.result).toMatchObject({ outcome: 'cancelled' })
    expect(await run.result).toMatchObject({ text: 'Done.' })
    expect(reasons).toMatchObject([{ name: 'TimeoutError', code: 'TOOL_TIMEOUT' }])
    await troupe.close()
  })

  test('a call that does not wait for it cancels it', async () => {
    const { inner, reached } = waiting()
    const outer = outerOf(async ({ start }) => {
      void start(inner.agent, 'Write').catch(() => undefined)
      await reached
      return 'forgotten'
    })
    const troupe = createTroupe({ agents: [outer.agent, inner.agent] })
    await (
      await troupe.start(outer.agent, 'Go')
    ).result
    const [nested] = await nestedOf(troupe)
    const { result } = await troupe.resume(nested?.runId ?? '')
    expect(await result).toMatchObject({
      outcome: 'cancelled',
      reason: 'The call that began the run has ended without waiting for it.',
    })
    await troupe.close()
  })
})

/** A tool of the nested run asks a person. */
const asking = () => {
  const sign = createTool({
    id: 'sign',
    description: 'Signs.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'signed',
  })
  return worker('inner', [calls({ name: 'sign' }), 'The letter.'], { tools: { sign } })
}

test('its questions hold the timeout of the call', async () => {
  const environment = virtualEnvironment()
  const inner = asking()
  const outer = outerOf(async ({ start }) => (await start(inner.agent, 'Write')).text, { timeout: 1_000 })
  const troupe = createTroupeIn(environment, { agents: [outer.agent, inner.agent] })
  const run = await troupe.start(outer.agent, 'Go')
  await environment.clock.elapse(600)
  const [question] = (await troupe.awaiting()).items
  expect(question).toMatchObject({ agent: 'inner', toolName: 'sign' })
  await environment.clock.elapse(3_600_000)
  await troupe.signal(question?.runId ?? '', { type: 'approve', toolCallId: question?.toolCallId ?? '' })
  const result = await run.result
  expect(result.steps[0]?.toolResults).toMatchObject([{ value: 'The letter.' }])
  expect(result).toMatchObject({ outcome: 'completed', errors: [] })
  await troupe.close()
})

describe('limits of the tree', () => {
  test('count the levels of nested runs', async () => {
    const errors: unknown[] = []
    const deep = (level: number): AnyAgent[] => {
      if (level === 0) return [worker('bottom', [], { otherwise: 'Bottom.' }).agent]
      const below = deep(level - 1)
      const tools = {
        nest: nest(async ({ start }) => {
          const agent = below[0] ?? expect.fail('no agent')
          return start(agent, 'Go down').then(
            ({ outcome }) => outcome,
            (error: unknown) => {
              errors.push(error)
              return 'refused'
            },
          )
        }),
      }
      return [worker(`level${level}`, [calls({ name: 'nest' }), 'Done.'], { tools }).agent, ...below]
    }
    const agents = deep(4)
    const top = lead('top', [calls(to('level4', 'Go down')), 'Done.'], {
      agents: {
        level4: worker('level4', [calls({ name: 'nest' }), 'Done.'], { tools: agents[0]?.tools ?? {} }).agent,
      },
      maxDepth: 3,
    })
    const troupe = createTroupe({ agents: [top.agent, ...agents.slice(1)] })
    await (
      await troupe.start(top.agent, 'Go')
    ).result
    // The subagent is one level down, so that two levels of runs are left below it.
    expect((await nestedOf(troupe)).map(({ agent }) => agent)).toEqual(['level3', 'level2'])
    expect(errors).toMatchObject([{ code: 'MAX_DEPTH' }])
    await troupe.close()
  })

  test('count the model calls of nested runs, of those under way too', async () => {
    const inner = worker('inner', [], { otherwise: 'Inner.' })
    const outcomes: string[] = []
    const outer = outerOf(
      async ({ start }) => {
        const ends = await Promise.all([1, 2, 3, 4, 5].map((n) => start(inner.agent, `Go ${n}`)))
        outcomes.push(...ends.map(({ outcome }) => outcome))
        return 'ok'
      },
      { budget: { modelCalls: 4 } },
    )
    const troupe = createTroupe({ agents: [outer.agent, inner.agent] })
    const run = await troupe.start(outer.agent, 'Go')
    const result = await run.result
    expect(outcomes.toSorted()).toEqual(['completed', 'completed', 'completed', 'exhausted', 'exhausted'])
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    const settled = (await troupe.journal(run.id)).find(
      (entry) => entry.type === 'effect.settled' && entry.kind === 'tool',
    )
    expect(settled).toMatchObject({
      nested: Array.from({ length: 5 }, () => ({ runId: expect.any(String) })),
    })
    expect((await troupe.replay(run.id)).result).toEqual(result)
    await troupe.close()
  })
})

/** A machine that begins an agent, offered to a model as a workflow. */
const workflowOf = (logic: ReturnType<Troupe['logic']>, input: object = {}) =>
  createWorkflow({
    id: 'flow',
    description: 'Has a letter written.',
    inputSchema: z.object({}),
    logic: setup({
      types: { context: {} as { text: string }, output: {} as { text: string } },
      actors: { inner: logic },
    }).createMachine({
      context: { text: '' },
      output: ({ context }) => context,
      initial: 'writing',
      states: {
        writing: {
          invoke: {
            src: 'inner',
            input: { prompt: 'Write', ...input },
            onDone: { target: 'done', actions: assign({ text: ({ event }) => event.output.text }) },
            onError: { target: 'done', actions: assign({ text: ({ event }) => String(event.error) }) },
          },
        },
        done: { type: 'final' },
      },
    }),
  })

describe('in a workflow', () => {
  test('an agent is a nested run of the call, which takes the name or the id of its input', async () => {
    const store = memoryStore()
    const inner = worker('inner', [], { otherwise: 'The letter.' })
    const inners = createTroupe({ agents: [inner.agent], store })
    for (const input of [{}, { name: 'letter' }, { runId: 'my-letter' }]) {
      const flow = workflowOf(inners.logic(inner.agent), input)
      const outer = lead('outer', [calls({ name: 'flow' }), 'Done.'], { workflows: { flow } })
      const troupe = createTroupe({ agents: [outer.agent], store })
      const run = await troupe.start(outer.agent, 'Go')
      const result = await run.result
      expect(result.steps[0]?.toolResults).toMatchObject([{ value: { text: 'The letter.' } }])
      await troupe.close()
    }
    const names = await Promise.all(
      (await inners.runs()).items
        .filter(({ agent }) => agent === 'inner')
        .map(async ({ runId }) => [runId, (await inners.journal(runId))[0]]),
    )
    expect(names).toMatchObject([
      [expect.stringContaining('nested-'), { nested: { name: 1 } }],
      [expect.stringContaining('nested-'), { nested: { name: 'letter' } }],
      ['my-letter', { nested: { name: 1 } }],
    ])
    await inners.close()
  })

  test('is cancelled with the outer run', async () => {
    const store = memoryStore()
    const reached = Promise.withResolvers<void>()
    const inner = worker('inner', [], {
      otherwise: () => {
        reached.resolve()
        return { text: 'Late.', until: new Promise(() => undefined) }
      },
    })
    const inners = createTroupe({ agents: [inner.agent], store })
    const flow = workflowOf(inners.logic(inner.agent))
    const outer = lead('outer', [calls({ name: 'flow' }), 'Done.'], { workflows: { flow } })
    const troupe = createTroupe({ agents: [outer.agent], store })
    const run = await troupe.start(outer.agent, 'Go')
    await reached.promise
    const [nested] = await nestedOf(inners)
    const handle = await inners.resume(nested?.runId ?? '')
    await run.cancel('Enough.')
    expect(await handle.result).toMatchObject({ outcome: 'cancelled', reason: 'Enough.' })
    await Promise.all([troupe.close(), inners.close()])
  })
})

const stores: readonly (readonly [string, () => Store])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(folder.file(`${Math.random()}.db`))],
]

describe.each(stores)('over a close of the troupe, in %s', (_, storeOf) => {
  test.each(['tool', 'workflow', 'signal'] as const)('begun by a %s, it goes on once', async (how) => {
    const store = storeOf()
    const reached = Promise.withResolvers<void>()
    const reasons: unknown[] = []
    const problems: unknown[] = []
    const onError = (problem: unknown) => problems.push(problem)
    const processOf = (isFirst: boolean) => {
      const inner = worker('inner', [], {
        otherwise: () => {
          reached.resolve()
          return isFirst ? { text: 'Lost.', until: new Promise(() => undefined) } : 'The letter.'
        },
      })
      const inners = createTroupe({ agents: [inner.agent], store, onError })
      const tool = createTool({
        id: 'flow',
        description: 'Begins a run.',
        inputSchema: z.object({}),
        async execute(__, { start, signal, idempotencyKey }) {
          signal.addEventListener('abort', () => reasons.push(signal.reason))
          if (how === 'tool') return { text: (await start(inner.agent, 'Write')).text }
          const runId = idempotencyKey.replaceAll(/[^\w.-]/g, '_')
          const run = await troupe
            ?.start(inner.agent, 'Write', { runId, signal })
            .catch(() => troupe.resume(runId))
          return { text: (await run.result).text }
        },
      })
      const flow = how === 'workflow' ? workflowOf(inners.logic(inner.agent)) : tool
      const outer = lead('outer', isFirst ? [calls({ name: 'flow' })] : [], {
        otherwise: 'Done.',
        tools: { flow },
      })
      const troupe: Troupe = createTroupe({
        agents: [outer.agent, inner.agent],
        store,
        onError,
        pollInterval: 5,
      })
      return { troupe, inners, outer, inner }
    }
    const first = processOf(true)
    const run = await first.troupe.start(first.outer.agent, 'Go')
    run.result.catch(() => undefined)
    await reached.promise
    await Promise.all([first.troupe.close(), first.inners.close()])
    if (how !== 'workflow')
      expect(reasons).toMatchObject([{ name: 'TroupeClosedError', code: 'TROUPE_CLOSED' }])
    const second = processOf(false)
    const before = (await second.troupe.runs()).items
    expect(before.map(({ agent, status }) => [agent, status])).toEqual([
      ['outer', 'running'],
      ['inner', 'running'],
    ])
    await second.troupe.recover()
    const { result } = await second.troupe.resume(run.id)
    expect((await result).steps[0]?.toolResults).toMatchObject([{ value: { text: 'The letter.' } }])
    const after = (await second.troupe.runs()).items
    expect(after.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ['outer', 'completed'],
      ['inner', 'completed'],
    ])
    expect(second.inner.model.calls).toHaveLength(1)
    expect(problems).toEqual([])
    await Promise.all([second.troupe.close(), second.inners.close()])
    await store.close?.()
  })
})

test.each<[string, number | undefined, (execution: ToolExecution, agent: AnyAgent) => Promise<unknown>]>([
  ['a timeout', 20, async ({ start }, agent) => start(agent, 'Write')],
  [
    'a return without waiting',
    undefined,
    async ({ start }, agent) => {
      start(agent, 'Write').catch(() => undefined)
      await turns()
      return 'sent'
    },
  ],
])('%s of its call cancels no run before it is on record', async (_name, timeout, execute) => {
  const held = Promise.withResolvers<string>()
  const wait = createTool({
    id: 'wait',
    description: 'Waits.',
    inputSchema: z.object({}),
    execute: () => held.promise,
  })
  const inner = worker('inner', [calls({ name: 'wait' }), 'The letter.'], { tools: { wait } })
  const outer = outerOf(
    async (execution) => execute(execution, inner.agent),
    timeout === undefined ? {} : { timeout },
  )
  const store = memoryStore()
  const refusing: Store = {
    ...store,
    append: (appends) => {
      const isEnd = appends.some(
        ({ entry }) => entry?.type === 'effect.settled' && entry.key.startsWith('outer/call:1.1/tool'),
      )
      if (isEnd) throw new Error('The disk is full.')
      return store.append(appends)
    },
  }
  const first = createTroupe({
    agents: [outer.agent, inner.agent],
    store: refusing,
    onError: () => undefined,
  })
  const run = await first.start(outer.agent, 'Go')
  await expect(run.result).rejects.toMatchObject({ code: 'STORE_FAILED' })
  const [nested] = await nestedOf(first)
  expect(nested).toMatchObject({ status: 'running' })
  held.resolve('over')
  const end = await (await first.resume(nested?.runId ?? '')).result
  expect(end).toMatchObject({ outcome: 'completed', text: 'The letter.' })
  await first.close()
})

/** Lets what has begun go on until it waits. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
