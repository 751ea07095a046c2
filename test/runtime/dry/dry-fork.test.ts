/** A dry fork asks before whatever would pay or act, and leaves nothing behind. Behaviour 106. */
import {
  createAgent,
  createTool,
  createTroupe,
  createWorkflow,
  deferTools,
  memoryStore,
  type JsonValue,
  type Run,
  type Troupe,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { fromPromise } from 'xstate'
import { z } from 'zod'
import type { DryQuestion, ScriptedOutcome } from '../../../src/runtime/dry/contract.ts'
import type { DryFork, DryForkOptions } from '../../../src/runtime/dry/dry-fork.ts'
import { dryFork, dryHostOf } from '../../../src/runtime/dry/dry-host.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

type Replies = (question: DryQuestion) => ScriptedOutcome

function of(value: JsonValue): ScriptedOutcome {
  return { value }
}

/** Answers each question, until the run has ended. Returns what was asked. */
async function scripted(fork: DryFork, replies: Replies): Promise<readonly DryQuestion[]> {
  const asked: DryQuestion[] = []
  const answer = (): void => {
    const [question] = fork.questions.open.filter(({ key }) => !asked.some((one) => one.key === key))
    if (question === undefined) return
    asked.push(question)
    queueMicrotask(() => {
      fork.answer(question.key, replies(question))
      answer()
    })
  }
  const stop = fork.questions.subscribe(answer)
  answer()
  await fork.run.result
  stop()
  return asked
}

async function begun(troupe: Troupe, run: Run, options: DryForkOptions): Promise<DryFork> {
  const host = dryHostOf(troupe)
  if (host === undefined) throw new Error('no troupe')
  return dryFork(host, run.id, options)
}

function bank() {
  const acted: string[] = []
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ euros: z.number().positive() }),
    execute: ({ euros }) => {
      acted.push(`paid ${euros}`)
      return { paid: euros }
    },
  })
  const clerk = worker('clerk', [calls({ name: 'pay', args: { euros: 7 } })], {
    tools: { pay },
    otherwise: 'The clerk is done.',
  })
  const boss = lead('boss', [calls(to('clerk', 'Pay 7 euros.'))], {
    agents: { clerk: clerk.agent },
    otherwise: 'The bill is settled.',
    delegation: { timeout: 60_000, onDelegationStart: () => void acted.push('hook') },
  })
  return { acted, boss, clerk }
}

test('it asks for models and tools, and performs none of them', async () => {
  const { acted, boss, clerk } = bank()
  const store = memoryStore()
  const troupe = createTroupe({ agents: [boss.agent], store })
  const run = await troupe.start(boss.agent, 'Pay the bill.')
  await run.result
  const before = [boss.model.calls.length, clerk.model.calls.length, acted.length]
  const fork = await begun(troupe, run, { fork: { at: 2 } })
  const asked = await scripted(fork, ({ kind, agent }) =>
    kind === 'tool'
      ? of({ paid: 0 })
      : agent === 'clerk' && fork.questions.scripted.size === 0
        ? of({ text: '', toolCalls: [{ name: 'pay', args: { euros: 1 } }] })
        : of(`${agent} says so.`),
  )
  expect(asked.map(({ kind, name }) => [kind, name])).toEqual([
    ['model', 'scripted/clerk'],
    ['tool', 'pay'],
    ['model', 'scripted/clerk'],
    ['model', 'scripted/boss'],
  ])
  expect(asked[1]?.input).toMatchObject({ args: { euros: 1 } })
  expect(asked[0]?.input).toMatchObject({ tools: [{ name: 'pay', parameters: { type: 'object' } }] })
  expect(JSON.stringify(asked[3]?.input)).toContain('clerk says so.')
  expect(await fork.run.result).toMatchObject({ outcome: 'completed', text: 'boss says so.' })
  expect([boss.model.calls.length, clerk.model.calls.length]).toEqual(before.slice(0, 2))
  expect(acted).toEqual(['hook', 'paid 7', 'hook'])
  expect([...fork.questions.scripted].toSorted()).toEqual(asked.map(({ key }) => key).toSorted())
  // It is in no list of the origin.
  expect((await troupe.runs()).items.map(({ runId }) => runId)).toEqual([run.id])
  expect(await store.read(fork.run.id, 0)).toBeUndefined()
  expect((await fork.run.result).usage).toMatchObject({ totalTokens: expect.any(Number) })
  await fork.close()
  await troupe.close()
})

test('hooks are questions where that is chosen', async () => {
  const { acted, boss } = bank()
  const troupe = createTroupe({ agents: [boss.agent] })
  const run = await troupe.start(boss.agent, 'Pay the bill.')
  await run.result
  const fork = await begun(troupe, run, { fork: { at: 2 }, functions: 'ask' })
  const asked = await scripted(fork, ({ kind }) =>
    of(kind === 'hook' ? { proceed: false, rejectionReason: 'No money.' } : 'Well.'),
  )
  expect(asked.map(({ kind, name, template }) => [kind, name, template])).toEqual([
    ['hook', 'onDelegationStart', { proceed: true }],
    ['model', 'scripted/boss', { text: '', toolCalls: [] }],
  ])
  expect((await fork.run.result).delegations[0]).toMatchObject({ outcome: 'rejected', reason: 'No money.' })
  expect(acted).toEqual(['hook', 'paid 7'])
  await fork.close()
  await troupe.close()
})

test('timers fire at once, and not while something is asked', async () => {
  const { boss } = bank()
  const troupe = createTroupe({ agents: [boss.agent] })
  const run = await troupe.start(boss.agent, 'Pay the bill.')
  await run.result
  const fork = await begun(troupe, run, { fork: { at: 2 } })
  let failures = 0
  const asked = await scripted(fork, ({ agent }) =>
    agent === 'clerk' && failures++ < 2
      ? {
          error: {
            name: 'Error',
            code: 'OVERLOADED',
            message: 'Later.',
            retryable: true,
            retryAfterMs: 20_000,
          },
        }
      : of('Done.'),
  )
  // Two retries of 20 seconds each, within a delegation that may take 60.
  expect(asked.map(({ agent }) => agent)).toEqual(['clerk', 'clerk', 'clerk', 'boss'])
  expect(await fork.run.result).toMatchObject({
    outcome: 'completed',
    delegations: [{ outcome: 'succeeded' }],
  })
  await fork.close()
  await troupe.close()
})

test('a value that fits no effect is refused, and its question stays open', async () => {
  const { boss } = bank()
  const troupe = createTroupe({ agents: [boss.agent] })
  const run = await troupe.start(boss.agent, 'Pay the bill.')
  await run.result
  const fork = await begun(troupe, run, { fork: { at: 1 } })
  await expect.poll(() => fork.questions.open).toHaveLength(1)
  const [question] = fork.questions.open
  expect(() => fork.answer('none', { value: null })).toThrow('does not ask "none"')
  expect(() => fork.answer(question?.key ?? '', { value: 7 })).toThrow('no reply of a model')
  expect(fork.questions.open).toHaveLength(1)
  await fork.run.cancel('enough')
  expect(await fork.run.result).toMatchObject({ outcome: 'cancelled' })
  expect(fork.questions.open).toEqual([])
  await fork.close()
  await troupe.close()
})

test('it reads the threads of its origin, and writes none of them', async () => {
  const desk = worker('desk', [], { memory: true, otherwise: 'Noted.' })
  const store = memoryStore()
  const troupe = createTroupe({ agents: [desk.agent], store })
  const first = await troupe.start(desk.agent, 'My name is Ada.', { threadId: 'ada' })
  await first.result
  const run = await troupe.start(desk.agent, 'Who am I?', { threadId: 'ada' })
  await run.result
  const before = await store.memory.messages('ada', {})
  const threads = await store.memory.threads({})
  const fork = await begun(troupe, run, { fork: { at: 1 } })
  const asked = await scripted(fork, ({ kind }) => of(kind === 'memory' ? null : 'You are Ada.'))
  expect(asked.map(({ kind }) => kind)).toEqual(['model', 'memory'])
  expect(JSON.stringify(asked[0]?.input)).toContain('My name is Ada.')
  expect(asked[1]?.input).toMatchObject({ operation: 'save' })
  const { threadId = '' } = await fork.run.result
  expect(await fork.troupe.memory.messages(threadId)).toHaveLength(4)
  expect(await store.memory.messages('ada', {})).toEqual(before)
  expect(await store.memory.threads({})).toEqual(threads)
  await fork.close()
  await troupe.close()
})

test('a workflow is asked for as one, and approvals are asked of people as ever', async () => {
  const acted: string[] = []
  const trip = createWorkflow({
    id: 'trip',
    description: 'Books a trip.',
    inputSchema: z.object({}),
    logic: fromPromise(async () => void acted.push('booked')),
  })
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({}),
    requireApproval: true,
    approvalTimeout: 60_000,
    execute: () => void acted.push('paid'),
  })
  const guide = worker('guide', [calls({ name: 'pay', args: {} })], {
    tools: { trip, pay },
    otherwise: 'Booked.',
  })
  const troupe = createTroupe({ agents: [guide.agent] })
  const run = await troupe.start(guide.agent, 'Book a trip.')
  await run.whenIdle
  const fork = await begun(troupe, run, { fork: { at: 2 } })
  await fork.run.whenIdle
  const [question] = (await fork.troupe.awaiting({ runId: fork.run.id })).items
  await fork.troupe.signal(fork.run.id, {
    type: 'approve',
    toolCallId: question?.toolCallId ?? '',
    by: 'ann',
  })
  const trips = of({ toolCalls: [{ name: 'trip', args: {} }] })
  const asked = await scripted(fork, ({ kind }) => {
    if (kind !== 'model') return of({ done: kind })
    return fork.questions.scripted.size === 1 ? trips : of('Off you go.')
  })
  expect(asked.map(({ kind, name }) => [kind, name])).toEqual([
    ['tool', 'pay'],
    ['model', 'scripted/guide'],
    ['workflow', 'trip'],
    ['model', 'scripted/guide'],
  ])
  expect(await fork.run.result).toMatchObject({ text: 'Off you go.' })
  expect(acted).toEqual([])
  expect((await troupe.awaiting()).items).toHaveLength(1)
  await fork.close()
  await run.cancel()
  await troupe.close()
})

test('the search of the user is a question where functions are, and that of the library is performed', async () => {
  const searched: string[] = []
  const search = ({ query }: { readonly query: string }) => {
    searched.push(query)
    return ['pay']
  }
  const { acted, pay } = till()
  const finding = { toolCalls: [{ name: 'find-tools', args: { query: 'money' } }] }
  for (const [options, functions, asks] of [
    [{ search }, 'ask', ['model', 'tool', 'model']],
    [{ search }, 'run', ['model', 'model']],
    [{}, 'ask', ['model', 'model']],
  ] as const) {
    const clerk = worker('clerk', [], { tools: deferTools({ pay }, options), otherwise: 'Done.' })
    const troupe = createTroupe({ agents: [clerk.agent] })
    const run = await troupe.start(clerk.agent, 'Pay.')
    await run.result
    const fork = await begun(troupe, run, { fork: { at: 1 }, functions })
    const asked = await scripted(fork, ({ kind, template }) => {
      if (kind === 'tool') return of(template)
      return fork.questions.scripted.size === 0 ? of(finding) : of('Found.')
    })
    expect(asked.map(({ kind }) => kind)).toEqual(asks)
    expect(asked.find(({ kind }) => kind === 'tool')?.template ?? { found: [] }).toEqual({ found: [] })
    expect(await fork.run.result).toMatchObject({ outcome: 'completed', text: 'Found.' })
    await fork.close()
    await troupe.close()
  }
  expect(searched).toEqual(['money'])
  expect(acted).toEqual([])
})

function till() {
  const acted: string[] = []
  const execute = () => void acted.push('paid')
  const pay = createTool({ id: 'pay', description: 'Pays money.', inputSchema: z.object({}), execute })
  return { acted, pay }
}

test('each question about a function begins with an answer that it takes, and no hook is called', async () => {
  const called: string[] = []
  const note = (name: string) => {
    called.push(name)
    return undefined
  }
  const { acted, pay } = till()
  const clerk = createAgent({
    id: 'clerk',
    instructions: () => `Be brief. ${note('instructions') ?? ''}`,
    model: scriptedModel(['{"sum":7}'], { modelId: 'clerk' }),
    tools: { pay },
    inputProcessors: [{ id: 'in', processInput: () => note('in') }],
    outputProcessors: [
      { id: 'out', processOutput: () => note('out') },
      { id: 'stream', processOutputStream: ({ part }) => note('stream') ?? part.text },
    ],
    structuredOutput: { schema: z.object({ sum: z.number() }) },
    onStepFinish: () => note('step'),
    onFinish: () => note('finish'),
  })
  const troupe = createTroupe({ agents: [clerk] })
  const run = await troupe.start(clerk, 'Add up.')
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  const before = called.length
  const fork = await begun(troupe, run, { fork: { at: 1 }, functions: 'ask' })
  const asked = await scripted(fork, ({ kind, template }) => of(kind === 'model' ? '{"sum":8}' : template))
  expect(asked.map(({ name }) => name)).toEqual([
    'configure',
    'processInput',
    'scripted/clerk',
    'processOutput',
    'onStepFinish',
    'validateObject',
    'onFinish',
  ])
  expect(await fork.run.result).toMatchObject({ outcome: 'completed', object: { sum: 8 } })
  // Functions that make the parts of an agent are called wherever the parts are needed.
  expect(called.slice(before)).toEqual(['instructions'])
  expect(acted).toEqual([])
  await fork.close()
  await troupe.close()
})
