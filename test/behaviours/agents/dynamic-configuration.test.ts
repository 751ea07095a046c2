/** Parts of an agent that are functions of the run, and the context that they, and tools, are given. */
import { fromPromise } from 'xstate'
import { describe, expect, test } from 'vitest'
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  createWorkflow,
  memoryStore,
  type AnyAgent,
  type JournalEntry,
  type Tool,
} from 'troupe'
import { scriptedModel, type ScriptedToolCall } from 'troupe/testing'
import { z } from 'zod'
import {
  allEvents,
  calls,
  everythingShown,
  lead,
  only,
  shown,
  to,
  toldOfCalls,
  until,
  worker,
} from '../../support/agents/agents.ts'

const inputSchema = z.object({ q: z.string() })

function lookup(more: { description?: string; requireApproval?: Tool['requireApproval'] } = {}) {
  return createTool({
    id: 'lookup',
    description: 'Looks something up.',
    inputSchema,
    execute: ({ q }, { context }) => ({ q, context }),
    ...more,
  })
}

function hooksOf(journal: readonly JournalEntry[]): string[] {
  return journal.flatMap((entry) =>
    entry.type === 'effect.settled' && entry.kind === 'hook' ? [entry.key] : [],
  )
}

describe('the parts of an agent', () => {
  const contextSchema = z.object({ tier: z.enum(['free', 'paid']), name: z.string() })

  function desk() {
    const asked: string[] = []
    const small = scriptedModel([], { modelId: 'small', otherwise: 'Small talk.' })
    const large = scriptedModel([calls({ name: 'lookup', args: { q: 'x' } }), 'Found.'], { modelId: 'large' })
    const agent = createAgent({
      id: 'desk',
      contextSchema,
      instructions: ({ context, runId }) => {
        asked.push(`instructions of ${runId}`)
        return `Serve ${context.name}.`
      },
      model: async ({ context }) => {
        asked.push('model')
        return context.tier === 'paid' ? large : small
      },
      tools: ({ context }) => {
        asked.push('tools')
        return context.tier === 'paid' ? { lookup: lookup() } : {}
      },
    })
    return { agent, asked, small, large }
  }

  test('are made of the context: each run has its own', async () => {
    const { agent, small, large } = desk()
    expect(await agent.generate('Hi', { context: { tier: 'free', name: 'Ada' } })).toMatchObject({
      outcome: 'completed',
      text: 'Small talk.',
    })
    expect(small.calls).toHaveLength(1)
    expect(small.calls[0]?.request.tools).toEqual([])
    expect(shown(small, 1)).toEqual([
      { role: 'system', content: 'Serve Ada.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(await agent.generate('Hi', { context: { tier: 'paid', name: 'Bob' } })).toMatchObject({
      outcome: 'completed',
      text: 'Found.',
    })
    expect(small.calls).toHaveLength(1)
    expect(large.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['lookup'])
    expect(toldOfCalls(large, 2)).toEqual([
      JSON.stringify({ q: 'x', context: { tier: 'paid', name: 'Bob' } }),
    ])
  })

  test('are asked once a run, in one effect whose outcome is plain data; a replay asks nobody', async () => {
    const { agent, asked, large } = desk()
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Hi', { context: { tier: 'paid', name: 'Bob' } })
    const result = await run.result
    const events = await allEvents(run)
    expect(asked).toEqual([`instructions of ${run.id}`, 'model', 'tools'])
    const journal = await troupe.journal(run.id)
    expect(journal[0]).toMatchObject({ type: 'run.started', context: { tier: 'paid', name: 'Bob' } })
    expect(hooksOf(journal)[0]).toBe('desk/hook:configure#1')
    expect(journal[1]).toMatchObject({
      type: 'effect.settled',
      settlement: {
        value: {
          instructions: 'Serve Bob.',
          model: 'scripted/large',
          tools: [
            {
              name: 'lookup',
              description: 'Looks something up.',
              parameters: { type: 'object', required: ['q'] },
              requireApproval: false,
              onInterrupted: 'retry',
            },
          ],
          agents: {},
        },
      },
    })
    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(events)
    expect(asked).toHaveLength(3)
    expect(large.calls).toHaveLength(2)
  })

  test('that do not depend on the run cost no effect', async () => {
    const { agent } = worker('solo', ['Done.'])
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', { context: { any: 'thing' } })
    await run.result
    expect(hooksOf(await troupe.journal(run.id))).toEqual([])
  })

  test('may be given without a context, and without a schema of it', async () => {
    const model = scriptedModel([], { otherwise: 'Done.' })
    const agent = createAgent({
      id: 'solo',
      model,
      instructions: ({ context }) => `Context: ${JSON.stringify(context) ?? 'none'}.`,
    })
    await agent.generate('Go')
    await agent.generate('Go', { context: ['a', 1] })
    expect([shown(model, 1)[0]?.content, shown(model, 2)[0]?.content]).toEqual([
      'Context: none.',
      'Context: ["a",1].',
    ])
  })

  test('workflows may be chosen too, and stand beside tools', async () => {
    const order = createWorkflow({
      id: 'order',
      description: 'Orders.',
      inputSchema,
      logic: fromPromise<string, { q: string }>(async ({ input }) => `ordered ${input.q}`),
    })
    const model = scriptedModel([calls({ name: 'order', args: { q: 'tea' } }), 'Done.'])
    const agent = createAgent({
      id: 'solo',
      instructions: '',
      model,
      tools: { lookup: lookup() },
      workflows: () => ({ order }),
    })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
    expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['lookup', 'order'])
    expect(toldOfCalls(model, 2)).toEqual(['ordered tea'])
  })

  test('instructions given for one run stand over the function, which is not even asked', async () => {
    let asked = 0
    const model = scriptedModel([], { otherwise: 'Done.' })
    const agent = createAgent({ id: 'solo', model, instructions: () => `Asked ${++asked}.` })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'Go', { instructions: 'Given.' })
    await run.result
    expect(shown(model, 1)[0]?.content).toBe('Given.')
    expect(asked).toBe(0)
    expect(hooksOf(await troupe.journal(run.id))).toEqual([])
  })

  test('a shape, working memory and input processors see the instructions that were made', async () => {
    const model = scriptedModel(['{"n":1}'])
    const agent = createAgent({
      id: 'solo',
      model,
      instructions: () => 'Made.',
      tools: () => ({ lookup: lookup() }),
      structuredOutput: { schema: z.object({ n: z.number() }) },
      memory: { workingMemory: true },
      inputProcessors: [
        {
          id: 'adds',
          processInput: ({ messages }) => [
            ...messages,
            { role: 'user', content: messages[0]?.content ?? '' },
          ],
        },
      ],
    })
    expect(await agent.generate('Go', { resourceId: 'ada' })).toMatchObject({ object: { n: 1 } })
    const [system, task, added] = shown(model, 1)
    expect(system?.content).toMatch(/^Made\.\n\nYour final answer must be one JSON value .*<working-memory>/s)
    expect(task?.content).toBe('Go')
    expect(added?.content).toBe(system?.content)
    expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['lookup', 'update-working-memory'])
  })

  test('working memory is written through its own tool', async () => {
    const model = scriptedModel([
      calls({ name: 'update-working-memory', args: { content: 'Likes tea.' } }),
      'Noted.',
    ])
    const agent = createAgent({ id: 'solo', model, instructions: () => '', memory: { workingMemory: true } })
    const troupe = createTroupe({ agents: [agent] })
    const run = await troupe.start(agent, 'I like tea', { resourceId: 'ada' })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    expect(await troupe.memory.workingMemory('ada')).toBe('Likes tea.')
  })

  test('a cancel while they are being made ends the run', async () => {
    const entered = Promise.withResolvers<void>()
    const model = scriptedModel([])
    const agent = createAgent({
      id: 'solo',
      model,
      instructions: () => {
        entered.resolve()
        return new Promise<string>(() => undefined)
      },
    })
    const run = agent.stream('Go')
    await entered.promise
    await run.cancel('enough')
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'enough' })
  })
})

describe('calls of tools that were made for the run', () => {
  function solo(steps: Parameters<typeof scriptedModel>[0], tools: Readonly<Record<string, Tool>>) {
    const model = scriptedModel(steps)
    return { model, agent: createAgent({ id: 'solo', instructions: '', model, tools: () => tools }) }
  }

  test.each<[string, ScriptedToolCall, RegExp]>([
    [
      'arguments that do not fit',
      { name: 'lookup', args: { q: 1 } },
      /Invalid arguments for \\"lookup\\": q: /,
    ],
    ['arguments that are not JSON', { name: 'lookup', malformed: '{' }, /were not a JSON object/],
    ['a tool that there is not', { name: 'find' }, /There is no tool \\"find\\". Available: lookup./],
  ])('%s go back to the model', async (_what, call, told) => {
    const { agent, model } = solo([calls(call), 'Done.'], { lookup: lookup() })
    expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 2)[0]).toMatch(told)
  })

  test('what a schema makes of the arguments reaches the tool', async () => {
    const seen: unknown[] = []
    const tool = createTool({
      id: 'add',
      description: 'Adds.',
      inputSchema: z.object({ n: z.number().default(3) }),
      execute: (input) => void seen.push(input),
    })
    await solo([calls({ name: 'add', args: {} }), 'Done.'], { add: tool }).agent.generate('Go')
    expect(seen).toEqual([{ n: 3 }])
  })

  test('a person approves where the tool, or its predicate, says so', async () => {
    const asks = (q: string) => ({ name: 'lookup', args: { q } })
    const always = solo([calls(asks('a')), 'Done.'], { lookup: lookup({ requireApproval: true }) })
    const first = always.agent.stream('Go')
    await first.approve((await until(first, 'tool-call-approval')).payload.toolCallId)
    expect(await first.result).toMatchObject({ outcome: 'completed' })

    const predicate = lookup({ requireApproval: (input) => (input as { q: string }).q === 'secret' })
    const some = solo([calls(asks('plain'), asks('secret')), 'Done.'], { lookup: predicate })
    const second = some.agent.stream('Go')
    const held = await until(second, 'tool-call-approval')
    expect(held.payload.args).toEqual({ q: 'secret' })
    await second.deny(held.payload.toolCallId, 'no')
    expect(await second.result).toMatchObject({ outcome: 'completed' })
    expect(toldOfCalls(some.model, 2)[1]).toContain('Tool call denied: no')
  })
})

describe('the context', () => {
  const contextSchema = z.object({ tenant: z.string().min(2), since: z.coerce.date() })
  const give = (context: unknown) => ({ context: context as { tenant: string; since: string } })
  const model = scriptedModel([], { otherwise: 'Done.' })
  const agent = createAgent({ id: 'solo', instructions: '', model, contextSchema })

  class Tenant {
    get name(): string {
      return 'x'
    }
  }
  const circular: { self?: unknown } = {}
  circular.self = circular

  test.each<[string, unknown, string]>([
    ['none', undefined, 'context: '],
    ['another shape', { tenant: 'x', since: '2026-01-01' }, 'context: tenant: '],
    [
      'a date that is none',
      { tenant: 'ab', since: new Date('never') },
      'context must be JSON, but context.since is an invalid Date',
    ],
    ['a function', { tenant: () => 'x' }, 'context must be JSON, but context.tenant is a function'],
    [
      'an instance',
      { list: [new Tenant()] },
      'context must be JSON, but context.list[0] is a Tenant, whose accessor "name" is no field',
    ],
    ['NaN', { n: Number.NaN }, 'context must be JSON, but context.n is NaN'],
    ['a circle', circular, 'context must be JSON, but context.self contains itself'],
  ])('is refused at the start: %s', async (_what, context, problem) => {
    const promise = agent.generate('Go', give(context))
    await expect(promise).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
    await expect(promise).rejects.toThrow(`options of a run of "solo": ${problem}`)
    const troupe = createTroupe({ agents: [agent] })
    await expect(troupe.start(agent, 'Go', give(context))).rejects.toThrow(problem)
    expect(model.calls).toHaveLength(0)
  })

  test('a schema that answers later is refused', async () => {
    const later = createAgent({
      id: 'later',
      instructions: '',
      model,
      contextSchema: z.object({}).refine(async () => true),
    })
    await expect(later.generate('Go', { context: {} })).rejects.toThrow('contextSchema must answer at once')
  })

  test('a schema that is none is refused', () => {
    const wrong = { contextSchema: 'tenant' as never }
    expect(() => createAgent({ id: 'a', instructions: '', model, ...wrong })).toThrow(
      'createAgent("a"): contextSchema must be a zod schema',
    )
    expect(() => createTool({ id: 'a', description: 'a', inputSchema, execute: () => 1, ...wrong })).toThrow(
      'createTool("a"): contextSchema must be a zod schema',
    )
  })

  test('is kept as JSON, and handed over as the schema has it; the whole tree shares it', async () => {
    const seen: unknown[] = []
    const tenantOf = createTool({
      id: 'tenant',
      description: 'Tells the tenant.',
      inputSchema: z.object({}),
      contextSchema,
      execute: (_input, { context }) => {
        seen.push(context)
        return context.tenant
      },
    })
    const plain = createTool({
      id: 'plain',
      description: 'Tells the context.',
      inputSchema: z.object({}),
      execute: (_input, { context }) => context,
    })
    const child = worker('child', [calls({ name: 'tenant' }, { name: 'plain' }), 'Done.'], {
      tools: { tenant: tenantOf, plain },
    })
    const root = createSupervisor({
      id: 'root',
      contextSchema,
      instructions: ({ context }) => {
        seen.push(context)
        return `Since ${context.since.getUTCFullYear()}.`
      },
      model: scriptedModel([calls(to('child', 'Go')), 'Done.']),
      agents: { child: child.agent },
    })
    const troupe = createTroupe({ agents: [root] })
    const given = { tenant: 'acme', since: '2024-02-03', nothing: undefined }
    const run = await troupe.start(root, 'Go', { context: given })
    expect(await run.result).toMatchObject({ outcome: 'completed' })
    const parsed = { tenant: 'acme', since: new Date('2024-02-03') }
    expect(seen).toEqual([parsed, parsed])
    expect(toldOfCalls(child.model, 2)).toEqual(['acme', '{"tenant":"acme","since":"2024-02-03"}'])
    expect((await troupe.journal(run.id))[0]).toMatchObject({
      context: { tenant: 'acme', since: '2024-02-03' },
    })
  })

  test('that does not suit a tool fails its call, unseen by the model; that does not suit a subagent fails it', async () => {
    const needs = createTool({
      id: 'needs',
      description: 'Needs a context.',
      inputSchema: z.object({}),
      contextSchema,
      execute: () => 'never',
    })
    const one = worker('one', [calls({ name: 'needs' }), 'Done.'], { tools: { needs } })
    const { events, result } = await follow(one.agent)
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(only(events, 'tool-error')[0]?.payload.error?.message).toMatch(
      /^The tool "needs": the context of the run does not fit contextSchema: /,
    )
    expect(toldOfCalls(one.model, 2)).toEqual(['{"error":"The tool \\"needs\\" failed."}'])

    const child = createAgent({
      id: 'child',
      description: 'Works.',
      contextSchema,
      instructions: ({ context }) => context.tenant,
      model: scriptedModel([]),
    })
    const two = lead('two', [calls(to('child', 'Go')), 'Done.'], { agents: { child } })
    expect(await two.agent.generate('Go')).toMatchObject({
      outcome: 'completed',
      delegations: [{ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } }],
    })
  })

  async function follow(followed: AnyAgent) {
    const run = followed.stream('Go')
    return { events: await allEvents(run), result: await run.result }
  }
})

describe('functions that go wrong', () => {
  const model = scriptedModel([], { otherwise: 'Never.' })

  test.each(['fail', 'ignore'] as const)(
    'one that throws fails the agent with its error, with hookErrors "%s" too',
    async (hookErrors) => {
      const agent = createAgent({
        id: 'solo',
        model,
        hookErrors,
        instructions: () => {
          throw Object.assign(new Error('no template'), { code: 'NO_TEMPLATE' })
        },
      })
      const run = agent.stream('Go')
      const events = await allEvents(run)
      expect(await run.result).toMatchObject({
        outcome: 'failed',
        error: { code: 'NO_TEMPLATE', message: 'no template' },
        steps: [],
      })
      expect(only(events, 'error')).toHaveLength(1)
    },
  )

  const wrong =
    <Value>(value: unknown) =>
    () =>
      value as Value
  test.each<[string, Parameters<typeof createSupervisor>[0], string]>([
    [
      'instructions that are no text',
      { id: 'a', model, instructions: wrong<string>(7) },
      'instructions must be a text, not 7.',
    ],
    [
      'no model',
      { id: 'a', instructions: '', model: wrong<typeof model>(undefined) },
      'model must be a ChatModel ({ provider, modelId, generate })',
    ],
    [
      'a bad name of a tool',
      { id: 'a', instructions: '', model, tools: () => ({ 'look up': lookup() }) },
      'the tool name "look up" is not allowed.',
    ],
    [
      'a tool that is none',
      { id: 'a', instructions: '', model, tools: wrong<Record<string, Tool>>({ x: {} }) },
      'the tool "x" must come from createTool().',
    ],
    [
      'no tools',
      { id: 'a', instructions: '', model, tools: wrong<Record<string, Tool>>(null) },
      'tools must be an object by name, not null.',
    ],
    [
      'a name twice',
      {
        id: 'a',
        instructions: '',
        model,
        tools: () => ({ x: lookup() }),
        workflows: () => ({
          x: createWorkflow({
            id: 'x',
            description: 'x',
            inputSchema,
            logic: fromPromise<string, { q: string }>(async () => 'x'),
          }),
        }),
      },
      'a tool and a workflow are both named "x".',
    ],
    [
      'an agent without a description',
      {
        id: 'a',
        instructions: '',
        model,
        agents: () => ({ b: createAgent({ id: 'b', description: ' ', instructions: '', model }) }),
      },
      'the agent "b" has no description',
    ],
    [
      'a tool of the name that working memory brings',
      {
        id: 'a',
        instructions: '',
        model,
        memory: { workingMemory: true },
        tools: () => ({ 'update-working-memory': lookup() }),
      },
      'memory.workingMemory brings a tool "update-working-memory"',
    ],
  ])('bad values are told as those of a definition are: %s', async (_what, config, problem) => {
    const result = await createSupervisor(config).generate('Go', { resourceId: 'ada' })
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
    expect(result.outcome === 'failed' ? result.error.message : '').toContain(
      `createSupervisor("a"): ${problem}`,
    )
  })

  test('a subagent whose function failed is asked anew by the next delegation', async () => {
    let asked = 0
    const child = createAgent({
      id: 'child',
      description: 'Works.',
      model: scriptedModel(['Done at last.']),
      instructions: () => {
        if (++asked === 1) throw new Error('SECRET: not yet')
        return 'Now.'
      },
    })
    const boss = lead('boss', [calls(to('child', 'Go')), calls(to('child', 'Go again')), 'Done.'], {
      agents: { child },
    })
    const result = await boss.agent.generate('Go')
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded'])
    expect(asked).toBe(2)
    expect(everythingShown(boss.model)).not.toContain('SECRET')
  })
})

describe('agents that were made for the run', () => {
  function team() {
    const made: string[] = []
    const writer = worker('writer', [], { otherwise: 'Written.' })
    const editor = worker('editor', [], { otherwise: 'Edited.' })
    const boss = createSupervisor({
      id: 'boss',
      contextSchema: z.object({ edits: z.boolean() }),
      instructions: 'Lead.',
      model: scriptedModel([], {
        otherwise: ({ messages, tools }) =>
          messages.some(({ role }) => role === 'tool')
            ? 'Done.'
            : calls(...tools.map(({ name }) => ({ name, args: { prompt: 'Go.' } }))),
      }),
      agents: ({ context }) => {
        made.push('agents')
        return { writer: writer.agent, ...(context.edits ? { editor: editor.agent } : {}) }
      },
    })
    return { boss, writer, editor, made }
  }

  test('are delegated to like any others, in a troupe of its own as they come', async () => {
    const { boss, made } = team()
    const some = await boss.generate('Go', { context: { edits: false } })
    expect(some.delegations.map(({ agent, text }) => [agent, text])).toEqual([['writer', 'Written.']])
    const all = await boss.generate('Go', { context: { edits: true } })
    expect(all.delegations.map(({ agent, text }) => [agent, text])).toEqual([
      ['writer', 'Written.'],
      ['editor', 'Edited.'],
    ])
    expect(made).toEqual(['agents', 'agents'])
  })

  test('must be known to a troupe: then a run with them can be replayed', async () => {
    const { boss, writer, editor } = team()
    const troupe = createTroupe({ agents: [boss, writer.agent, editor.agent] })
    const run = await troupe.start(boss, 'Go', { context: { edits: true } })
    const result = await run.result
    expect(result.delegations).toHaveLength(2)
    expect((await troupe.replay(run.id)).result).toEqual(result)

    const without = createTroupe({ agents: [boss, writer.agent] })
    const refused = await (await without.start(boss, 'Go', { context: { edits: true } })).result
    expect(refused).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
    expect(refused.outcome === 'failed' ? refused.error.message : '').toMatch(
      /^agents\.editor of "boss": the agent "editor" .* createTroupe\(\{ agents \}\)/,
    )
  })

  test('another agent of the same id is not taken for it', async () => {
    const { boss, writer, editor } = team()
    const other = worker('editor', ['Never.'])
    const troupe = createTroupe({ agents: [boss, writer.agent, other.agent] })
    const refused = await (await troupe.start(boss, 'Go', { context: { edits: true } })).result
    expect(refused).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_CONFIGURATION' } })
    expect([editor.model.calls, other.model.calls]).toEqual([[], []])

    const twins = createSupervisor({
      id: 'twins',
      instructions: '',
      model: scriptedModel([]),
      agents: () => ({ one: editor.agent, two: other.agent }),
    })
    const alone = await twins.generate('Go')
    expect(alone.outcome === 'failed' ? alone.error.message : '').toContain(
      'agents.two of "twins": there are two different agents with the id "editor"',
    )
  })

  test('an agent that is delegated to several times is made once a run', async () => {
    let asked = 0
    const model = scriptedModel([], { otherwise: 'Done.' })
    const child = createAgent({
      id: 'child',
      description: 'Works.',
      model,
      instructions: () => `Asked ${++asked}.`,
    })
    const boss = lead(
      'boss',
      [
        calls(to('child', 'One', { instructions: 'Be brief.' }), to('child', 'Two')),
        calls(to('child', 'Three')),
        'Done.',
      ],
      { agents: { child } },
    )
    const result = await boss.agent.generate('Go')
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(asked).toBe(1)
    expect(model.calls.map(({ request }) => request.messages[0]?.content)).toEqual([
      'Asked 1.\n\nBe brief.',
      'Asked 1.',
      'Asked 1.',
    ])
  })
})

describe('after a restart', () => {
  interface Now {
    readonly modelId?: string
    readonly tools?: Readonly<Record<string, Tool>>
    readonly onDrift?: 'refuse'
  }

  /** A run that waits for a person in one process, and goes on in another whose functions answer `now`. */
  async function restarted({
    modelId = 'one',
    tools = { lookup: lookup({ requireApproval: true }) },
    ...more
  }: Now) {
    const store = memoryStore()
    const answer = scriptedModel([calls({ name: 'lookup', args: { q: 'x' } })], { modelId: 'one' })
    const before = createAgent({
      id: 'solo',
      instructions: () => 'Made.',
      model: () => answer,
      tools: () => ({ lookup: lookup({ requireApproval: true }) }),
    })
    const first = createTroupe({ agents: [before], store })
    const run = await first.start(before, 'Go', { context: { n: 1 } })
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
    await first.close()

    let asked = 0
    const model = scriptedModel(['Done.'], { modelId })
    const after = createAgent({
      id: 'solo',
      instructions: () => {
        asked++
        return 'Made.'
      },
      model: () => model,
      tools: () => tools,
      ...more,
    })
    const second = createTroupe({ agents: [after], store })
    const resumed = await second.resume(run.id)
    expect(asked).toBe(0)
    await resumed.approve('solo/call:1.1')
    const result = await resumed.result
    const drift = (await second.journal(run.id)).flatMap((entry) =>
      entry.type === 'program.drifted' ? [entry.edits] : [],
    )
    return { result, model, asked, drift, replay: await second.replay(run.id) }
  }

  test('the functions are asked again when one is needed, and the run goes on with what they give', async () => {
    const { result, model, asked, replay } = await restarted({})
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(toldOfCalls(model, 1)).toEqual(['{"q":"x","context":{"n":1}}'])
    expect(asked).toBe(1)
    expect(replay.result).toEqual(result)
  })

  test('another model is told of, and goes on with the run', async () => {
    const { result, model, drift } = await restarted({ modelId: 'two' })
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(model.calls).toHaveLength(1)
    expect(drift).toEqual([[{ agent: 'solo', part: 'model' }]])
  })

  const approved = lookup({ requireApproval: true })
  const edited = [[{ agent: 'solo', part: 'tool "lookup"' }]]
  test.each<[string, Readonly<Record<string, Tool>>, string, unknown]>([
    ['is gone fails its call by name', {}, 'failed', edited],
    [
      'is described otherwise goes on',
      { lookup: lookup({ requireApproval: true, description: 'Finds.' }) },
      'succeeded',
      edited,
    ],
    ['asks no longer goes on as it was asked', { lookup: lookup() }, 'succeeded', edited],
  ])('a tool that %s', async (_what, tools, outcome, told) => {
    const { result, drift } = await restarted({ tools })
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(result.steps[0]?.toolResults[0]).toMatchObject({ outcome })
    expect(drift).toEqual(told)
  })

  test('a tool that is new is not offered to the run', async () => {
    const { result, model, drift } = await restarted({ tools: { lookup: approved, more: approved } })
    expect(result).toMatchObject({ outcome: 'completed' })
    expect(drift).toEqual([])
    expect(model.calls[0]?.request.tools.map(({ name }) => name)).toEqual(['lookup'])
  })

  test('an agent that refuses drift fails where its functions answer otherwise', async () => {
    const { result, model } = await restarted({ modelId: 'two', onDrift: 'refuse' })
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'PROGRAM_CHANGED' } })
    expect(model.calls).toHaveLength(0)
  })
})
