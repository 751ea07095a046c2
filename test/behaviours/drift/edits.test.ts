/** What may be edited while runs wait: recorded outcomes stand, structure stays, content is that of today. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type Store,
  type SupervisorOptions,
  type Tool,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, to } from '../../support/agents/agents.ts'

interface Edit {
  readonly desk?: string
  readonly clerk?: string
  readonly idle?: string
  readonly idleDescription?: string
  readonly toolDescription?: string
  readonly schema?: z.ZodType
  readonly policy?: boolean | (() => boolean)
  readonly tool?: Partial<Parameters<typeof createTool>[0]>
  readonly extraTool?: true
  readonly extraAgent?: true
  readonly modelId?: string
  readonly version?: string
  readonly options?: SupervisorOptions
  readonly withoutTool?: true
  readonly clerkOptions?: object
}

interface Program {
  readonly agent: AnyAgent
  readonly paid: unknown[]
}

/** A desk whose clerk pays after a person has approved. `late`: the models as they go on after the question. */
function program(edit: Edit = {}, late = false): Program {
  const paid: unknown[] = []
  const model = (steps: readonly ScriptedStep[]) =>
    scriptedModel(late ? steps.slice(1) : steps, { modelId: edit.modelId ?? 'm', otherwise: 'Over.' })
  const refund = createTool({
    id: 'refund',
    description: edit.toolDescription ?? 'Pays.',
    inputSchema: edit.schema ?? z.object({ n: z.number() }),
    requireApproval: edit.policy ?? true,
    execute: (input) => {
      paid.push(input)
      return 'paid'
    },
    ...edit.tool,
  })
  const extra = createTool({
    id: 'extra',
    description: 'Extra.',
    inputSchema: z.object({}),
    execute: () => 1,
  })
  const tools: Record<string, Tool> = {
    ...(edit.withoutTool ? {} : { refund }),
    ...(edit.extraTool ? { extra } : {}),
  }
  const version = edit.version === undefined ? {} : { version: edit.version }
  const clerk = createAgent({
    id: 'clerk',
    description: 'Clerk.',
    instructions: edit.clerk ?? 'C',
    model: model([calls({ name: 'refund', args: { n: 1 } }), 'Done.']),
    tools,
    ...version,
    ...edit.clerkOptions,
  })
  const idle = createAgent({
    id: 'idle',
    description: edit.idleDescription ?? 'Idle.',
    instructions: edit.idle ?? 'I',
    model: model(['', 'x']),
    ...version,
  })
  const another = createAgent({ id: 'another', description: 'A.', model: model(['', 'x']) })
  const agents: Readonly<Record<string, typeof idle>> = { clerk, idle, ...(edit.extraAgent && { another }) }
  const agent = createSupervisor({
    id: 'desk',
    instructions: edit.desk ?? 'D',
    model: model([calls(to('clerk', 'x')), 'End.']),
    agents,
    ...version,
    ...edit.options,
  })
  return { agent, paid }
}

/** A run that waits for a person, in a store that its process has left. */
async function waiting(edit: Edit = {}): Promise<{ store: Store; runId: string }> {
  const store = memoryStore()
  const { agent } = program(edit)
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'x')
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await troupe.close()
  return { store, runId: run.id }
}

async function deployed(edit: Edit, { store, runId }: { store: Store; runId: string }, more = {}) {
  const { agent, paid } = program(edit, true)
  const troupe = createTroupe({ agents: [agent], store, ...more })
  const [question] = (await troupe.awaiting()).items
  const end = async () => (await troupe.resume(runId)).result
  const drift = async () =>
    (await troupe.journal(runId)).flatMap((entry) =>
      entry.type === 'program.drifted' ? entry.edits.map(({ agent: of, part }) => `${part} of ${of}`) : [],
    )
  const answer = (type: 'approve' | 'deny') =>
    troupe.signal(runId, { type, toolCallId: question?.toolCallId ?? '' })
  return { troupe, paid, answer, end, drift }
}

/** Each edit, and the parts that the journal then names. */
const edits: Readonly<Record<string, readonly [Edit, readonly string[]]>> = {
  nothing: [{}, []],
  'a word of the root': [{ desk: 'D.' }, ['instructions of desk']],
  'a word of the agent at work': [{ clerk: 'C.' }, ['instructions of clerk']],
  'a word of an agent that never ran': [{ idle: 'I.' }, ['instructions of idle']],
  'a description of an agent': [{ idleDescription: 'Idle!' }, ['description of the agent "idle" of desk']],
  'a description of a tool': [{ toolDescription: 'Pays back.' }, ['tool "refund" of clerk']],
  'a word of a schema': [
    { schema: z.object({ n: z.number().describe('euros') }) },
    ['tool "refund" of clerk'],
  ],
  'a tool that is added': [{ extraTool: true }, []],
  'an agent that is added': [{ extraAgent: true }, []],
  'the model': [{ modelId: 'm2' }, ['model of desk', 'model of clerk', 'model of idle']],
  'a cap of steps': [{ options: { maxSteps: 8 } }, []],
  retries: [{ options: { retries: 5 } }, []],
  'a budget': [{ options: { budget: { modelCalls: 50 } } }, []],
  'an approval timeout': [{ tool: { approvalTimeout: 100_000_000 } }, []],
  'a timeout of the tool': [{ tool: { timeout: 1000 } }, []],
  'an observer': [{ options: { onStepFinish: () => undefined } }, []],
  'a hook': [{ options: { delegation: { onDelegationStart: () => ({}) } } }, []],
  memory: [{ clerkOptions: { memory: true } }, []],
  'the policy of interruptions': [{ tool: { onInterrupted: 'ask' } }, []],
  'a first version': [{ version: '1' }, []],
  'a policy that is taken away': [{ policy: false }, []],
  'a policy that says no': [{ policy: () => false }, []],
}

describe('an edit while an approval waits', () => {
  test.each(Object.entries(edits))(
    'of %s: the approval leads to the end, once',
    async (_name, [edit, told]) => {
      const run = await waiting()
      const { answer, end, drift, paid, troupe } = await deployed(edit, run)
      await answer('approve')
      expect(await end()).toMatchObject({ outcome: 'completed', text: 'End.' })
      expect(paid).toEqual([{ n: 1 }])
      expect((await drift()).toSorted()).toEqual(told.toSorted())
      const { result, events, diverged } = await troupe.replay(run.runId)
      expect(result).toEqual(await end())
      expect(diverged).toBeUndefined()
      expect(events.filter(({ type }) => type === 'drift')).toHaveLength(told.length === 0 ? 0 : 1)
    },
  )

  test.each(Object.entries(edits))('of %s: a denial never starts the tool', async (_name, [edit]) => {
    const { answer, end, paid } = await deployed(edit, await waiting())
    await answer('deny')
    expect(await end()).toMatchObject({ outcome: 'completed' })
    expect(paid).toEqual([])
  })

  test.each(Object.entries(edits))('of %s: recover starts nothing, and asks still', async (_name, [edit]) => {
    const run = await waiting()
    const { troupe, paid } = await deployed(edit, run)
    const { refused } = await troupe.recover()
    expect(refused).toEqual([])
    expect((await troupe.awaiting()).items).toHaveLength(1)
    await troupe.cancel(run.runId)
    expect(await (await troupe.resume(run.runId)).result).toMatchObject({ outcome: 'cancelled' })
    expect(paid).toEqual([])
  })

  test('a field that is required by now fails the call where it is performed, and pays nothing', async () => {
    const schema = z.object({ n: z.number(), reason: z.string() })
    const { answer, end, paid } = await deployed({ schema }, await waiting())
    await answer('approve')
    expect(await end()).toMatchObject({ outcome: 'completed' })
    expect(paid).toEqual([])
  })

  test('a tool that is gone fails its call by name', async () => {
    const { answer, end, drift } = await deployed({ withoutTool: true }, await waiting(), {
      onError: () => undefined,
    })
    await answer('approve')
    const { delegations } = await end()
    expect(delegations[0]?.outcome).toBe('succeeded')
    expect(await drift()).toEqual(['tool "refund" of clerk'])
  })

  test('a call of an agent that was not there stays refused where the agent is back', async () => {
    const store = memoryStore()
    const hold = createTool({
      id: 'hold',
      description: 'Holds.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'held',
    })
    const make = (agents: Record<string, ReturnType<typeof helper>>, steps: readonly ScriptedStep[]) =>
      createSupervisor({
        id: 'desk',
        model: scriptedModel(steps, { modelId: 'm', otherwise: 'Done.' }),
        tools: { hold },
        agents,
      })
    const helper = () =>
      createAgent({ id: 'helper', description: 'Helps.', model: scriptedModel([], { otherwise: 'Here.' }) })
    const desk = make({ helper: helper() }, [calls({ name: 'hold' })])
    const first = createTroupe({ agents: [desk], store })
    const run = await first.start(desk, 'Go')
    await run.whenIdle
    await first.close()
    const second = createTroupe({ agents: [make({}, [calls(to('helper', 'x'), { name: 'hold' })])], store })
    const without = await second.resume(run.id)
    await without.approve('desk/call:1.1')
    expect(await without.whenIdle).toMatchObject({ outcome: 'suspended' })
    await second.close()
    const third = createTroupe({ agents: [make({ helper: helper() }, [])], store })
    const back = await third.resume(run.id)
    await back.approve('desk/call:2.2')
    const result = await back.result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', delegations: [] })
    expect(result.steps[1]?.toolResults[0]).toMatchObject({ name: 'agent-helper', outcome: 'failed' })
  })

  test('a first version is not that of a run that began without a version', async () => {
    const run = await waiting()
    const before = await deployed({}, run)
    await before.answer('approve')
    const result = await before.end()
    await before.troupe.close()
    const { troupe } = await deployed({ version: '1' }, run)
    expect((await troupe.replay(run.runId)).result).toEqual(result)
    expect(await (await troupe.resume(run.runId)).result).toEqual(result)
  })

  test('is told once for each change, and not at each resume', async () => {
    const run = await waiting()
    for (const desk of ['D.', 'D.', 'D!', 'D!', 'D']) {
      const { troupe } = await deployed({ desk }, run)
      await (
        await troupe.resume(run.runId)
      ).whenIdle
      await troupe.close()
    }
    const { drift } = await deployed({}, run)
    expect(await drift()).toEqual(Array.from({ length: 3 }, () => 'instructions of desk'))
  })

  test('is an event for those who read the run', async () => {
    const run = await waiting()
    const { troupe, answer, end } = await deployed({ clerk: 'C!' }, run)
    await answer('approve')
    await end()
    const events = await allEvents(await troupe.resume(run.runId))
    expect(events.filter(({ type }) => type === 'drift')).toMatchObject([
      { payload: { edits: [{ agent: 'clerk', part: 'instructions' }] } },
    ])
  })

  test('of any kind, one after another: deny never leads to execution, approve to one', async () => {
    const chains = fc.array(fc.constantFrom(...Object.values(edits)), { maxLength: 4 })
    await fc.assert(fc.asyncProperty(chains, fc.boolean(), edited), { numRuns: 30 })
  })

  async function edited(chosen: readonly (readonly [Edit, readonly string[]])[], approves: boolean) {
    const run = await waiting()
    const paid: unknown[] = []
    for (const [index, [edit]] of chosen.entries()) {
      const last = await deployed(edit, run)
      if (index === chosen.length - 1) {
        await last.answer(approves ? 'approve' : 'deny')
        await last.end()
      } else await last.troupe.recover()
      await last.troupe.close()
      paid.push(...last.paid)
    }
    expect(paid).toHaveLength(approves && chosen.length > 0 ? 1 : 0)
  }
})

test('the first entry has the structure of each agent as plain data, and digests of its content', async () => {
  const { store, runId } = await waiting()
  const [started] = (await store.read(runId)) ?? []
  if (started?.type !== 'run.started') throw new Error('A journal begins with run.started.')
  expect(JSON.parse(JSON.stringify(started.agents))).toEqual(started.agents)
  const digest = expect.stringMatching(/^[0-9a-z]+$/) as string
  expect(started.agents).toMatchObject({
    desk: { structure: { pattern: 'supervisor', agents: { clerk: { id: 'clerk' }, idle: { id: 'idle' } } } },
    clerk: {
      structure: { pattern: 'react', tools: { refund: { requireApproval: true } } },
      content: { instructions: digest, model: digest, 'tool "refund"': digest },
    },
    idle: { structure: { pattern: 'react' } },
  })
  expect(started.agents?.['clerk']?.structure.tools?.['refund']).toEqual({ requireApproval: true })
})

test.each([
  ['longer', 'Be kind. '.repeat(600)],
  ['shorter', ''],
])('instructions that are %s by now do not change what was summarised', async (_name, instructions) => {
  const store = memoryStore()
  const tools = Object.fromEntries(
    ['look', 'hold'].map((id) => [
      id,
      createTool({
        id,
        description: 'Looks.',
        inputSchema: z.object({}),
        requireApproval: id === 'hold',
        execute: () => 'x'.repeat(600),
      }),
    ]),
  )
  const steps = ['look', 'look', 'look', 'look', 'hold'].map((name) => ({
    toolCalls: [{ name }],
    usage: { inputTokens: 0 },
  }))
  const make = (words: string, script: readonly ScriptedStep[]) =>
    createAgent({
      id: 'desk',
      instructions: words,
      model: scriptedModel(script, { modelId: 'm', otherwise: 'Done.' }),
      maxSteps: 9,
      compaction: { window: 1_400, at: 0.8, summarize: () => 'A summary.' },
      tools,
    })
  const before = make('Be kind. '.repeat(300), steps)
  const first = createTroupe({ agents: [before], store })
  const run = await first.start(before, 'Go')
  expect(await run.whenIdle).toMatchObject({ outcome: 'suspended' })
  await first.close()
  const made = (await first.journal(run.id)).filter((entry) => 'kind' in entry && entry.kind === 'compaction')
  expect(made.length).toBeGreaterThan(0)
  const second = createTroupe({ agents: [make(instructions, ['Done.'])], store })
  const resumed = await second.resume(run.id)
  await resumed.approve('desk/call:5.1')
  expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
})

describe('a policy that is stricter by now', () => {
  test('holds for calls that are not made yet', async () => {
    const store = memoryStore()
    const hold = createTool({
      id: 'hold',
      description: 'Holds.',
      inputSchema: z.object({}),
      requireApproval: true,
      execute: () => 'held',
    })
    const make = (policy: boolean, steps: readonly ScriptedStep[], paid: unknown[]) =>
      createAgent({
        id: 'clerk',
        model: scriptedModel(steps, { modelId: 'm' }),
        tools: {
          hold,
          refund: createTool({
            id: 'refund',
            description: 'Pays.',
            inputSchema: z.object({}),
            requireApproval: policy,
            execute: () => paid.push('paid'),
          }),
        },
      })
    const before = make(false, [calls({ name: 'hold' })], [])
    const first = createTroupe({ agents: [before], store })
    const run = await first.start(before, 'Go')
    await run.whenIdle
    await first.close()
    const paid: unknown[] = []
    const after = make(true, [calls({ name: 'refund' }), 'Done.'], paid)
    const second = createTroupe({ agents: [after], store })
    const resumed = await second.resume(run.id)
    await resumed.approve('clerk/call:1.1')
    const idle = await resumed.whenIdle
    expect(idle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolName: 'refund' }] })
    expect(paid).toEqual([])
    await resumed.deny('clerk/call:2.1')
    expect(await resumed.result).toMatchObject({ outcome: 'completed' })
    expect(paid).toEqual([])
    expect((await second.replay(run.id)).result).toEqual(await resumed.result)
  })
})

describe('a program that refuses drift', () => {
  test.each<[string, Edit, object]>([
    ['a troupe', { desk: 'D.' }, { onDrift: 'refuse' }],
    ['an agent', { clerk: 'C.', clerkOptions: { onDrift: 'refuse' } }, {}],
  ])('%s names the edit, and the run can be ended', async (_name, edit, more) => {
    const run = await waiting()
    const { troupe, answer, paid } = await deployed(edit, run, more)
    await expect(answer('approve')).rejects.toMatchObject({ code: 'PROGRAM_CHANGED', runId: run.runId })
    await expect(answer('approve')).rejects.toThrow('instructions of "')
    await troupe.cancel(run.runId, 'enough', { force: true })
    expect(await (await troupe.resume(run.runId)).result).toMatchObject({
      outcome: 'cancelled',
      reason: 'enough',
    })
    expect((await troupe.awaiting()).items).toEqual([])
    await troupe.delete(run.runId)
    expect(paid).toEqual([])
  })
})

describe('a run that cannot go on', () => {
  /** Its agent has become another pattern. */
  async function stuck() {
    const run = await waiting()
    const agent = createAgent({ id: 'desk', model: scriptedModel([], { otherwise: 'No.' }) })
    return { ...run, agent, troupe: createTroupe({ agents: [agent], store: run.store }) }
  }

  test('is ended by force: every reader takes the end without a chart, and nothing runs', async () => {
    const { troupe, runId } = await stuck()
    await expect(troupe.resume(runId)).rejects.toMatchObject({ code: expect.any(String) as string })
    await troupe.cancel(runId, 'gone', { force: true })
    await troupe.cancel(runId, 'again', { force: true })
    const journal = await troupe.journal(runId)
    expect(journal.at(-1)).toMatchObject({
      type: 'run.settled',
      outcome: 'cancelled',
      forced: true,
      reason: 'gone',
    })
    expect(journal.filter(({ type }) => type === 'run.settled')).toHaveLength(1)
    expect(await (await troupe.resume(runId)).result).toMatchObject({ outcome: 'cancelled', reason: 'gone' })
    expect((await troupe.replay(runId)).result).toMatchObject({ outcome: 'cancelled' })
    expect((await troupe.runs()).items).toMatchObject([{ runId, outcome: 'cancelled' }])
    expect((await troupe.awaiting()).items).toEqual([])
    await troupe.delete(runId)
    await expect(troupe.journal(runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })

  test('that was ended by force takes no answer, and a cancel of it is over', async () => {
    const run = await waiting()
    const { troupe, answer } = await deployed({}, run)
    await troupe.cancel(run.runId, 'gone', { force: true })
    await expect(answer('approve')).rejects.toMatchObject({ code: 'SIGNAL_TOO_LATE' })
    await troupe.cancel(run.runId, 'again')
    expect(await (await troupe.resume(run.runId)).result).toMatchObject({
      outcome: 'cancelled',
      reason: 'gone',
    })
  })

  test('is not ended while another process has it', async () => {
    const store = memoryStore()
    const { agent } = program()
    const owner = createTroupe({ agents: [agent], store, passivateAfter: Number.POSITIVE_INFINITY })
    const run = await owner.start(agent, 'x')
    await run.whenIdle
    const other = createTroupe({ agents: [program().agent], store })
    await expect(other.cancel(run.id, 'no', { force: true })).rejects.toMatchObject({ code: 'RUN_OWNED' })
    await owner.cancel(run.id, 'yes', { force: true })
    expect(await run.result).toMatchObject({ outcome: 'cancelled', reason: 'yes' })
  })

  test('one delegation is not ended by force', async () => {
    const { troupe, runId } = await stuck()
    expect(() => troupe.cancel(runId, 'x', { force: true, delegationId: 'desk/delegation:1.1' })).toThrow(
      'leave out delegationId',
    )
  })
})

test('arguments that a person changed keep their verdict: a schema that refuses them by now asks no second time', async () => {
  const run = await waiting()
  const { agent, paid } = program({}, true)
  const troupe = createTroupe({ agents: [agent], store: run.store })
  const [question] = (await troupe.awaiting()).items
  await troupe.signal(run.runId, { type: 'approve', toolCallId: question?.toolCallId ?? '', args: { n: 7 } })
  const result = await (await troupe.resume(run.runId)).result
  expect(paid).toEqual([{ n: 7 }])
  await troupe.close()
  const later = createTroupe({
    agents: [program({ schema: z.object({ n: z.number().max(1) }) }, true).agent],
    store: run.store,
  })
  const replayed = await later.replay(run.runId)
  expect(replayed.result).toEqual(result)
})
