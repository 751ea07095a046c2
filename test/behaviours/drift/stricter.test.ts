/** Calls that are not made yet have the stricter of the recorded policy and budget, and those of today. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type SupervisorOptions,
  type Tool,
} from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, to } from '../../support/agents/agents.ts'

/** Holds the run until a deploy has come. */
const hold = createTool({
  id: 'hold',
  description: 'Holds.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'held',
})

type Policy = NonNullable<Parameters<typeof createTool>[0]['requireApproval']>

function refund(requireApproval: Policy, paid: unknown[], inputSchema: z.ZodType = z.object({})): Tool {
  return createTool({
    id: 'refund',
    description: 'Pays.',
    inputSchema,
    requireApproval,
    execute: () => paid.push('paid'),
  })
}

const asynchronous = z.object({}).refine(async () => Promise.resolve(true))

const model = (steps: readonly ScriptedStep[]) => scriptedModel(steps, { modelId: 'm' })

const clerk = (steps: readonly ScriptedStep[], options: Partial<Parameters<typeof createAgent>[0]>) =>
  createAgent({ id: 'clerk', model: model(steps), ...options })

/** How the agent comes to its call, with the policy on the call. */
const ways: Readonly<
  Record<string, (policy: Policy, paid: unknown[], steps: readonly ScriptedStep[]) => AnyAgent>
> = {
  'of a tool': (policy, paid, steps) => clerk(steps, { tools: { hold, refund: refund(policy, paid) } }),
  'of a tool with an asynchronous schema': (policy, paid, steps) =>
    clerk(steps, { tools: { hold, refund: refund(policy, paid, asynchronous) } }),
  'of a tool that a function makes': (policy, paid, steps) =>
    clerk(steps, { tools: () => ({ hold, refund: refund(policy, paid) }) }),
  'of a tool of an agent whose instructions a function makes': (policy, paid, steps) =>
    clerk(steps, {
      instructions: () => 'Be kind.',
      tools: { hold, refund: refund(policy, paid) },
    }),
}

const policies: Readonly<Record<string, Policy>> = { true: true, 'a function': () => true }

describe.each(Object.entries(ways))('a policy %s', (_way, make) => {
  test.each(Object.entries(policies))('that is %s by now asks for a later call', async (_name, policy) => {
    const store = memoryStore()
    const before = make(false, [], [calls({ name: 'hold' })])
    const first = createTroupe({ agents: [before], store })
    const run = await first.start(before, 'Go')
    await run.whenIdle
    await first.close()
    const paid: unknown[] = []
    const after = make(policy, paid, [calls({ name: 'refund' }), 'Done.'])
    const second = createTroupe({ agents: [after], store })
    const resumed = await second.resume(run.id)
    await resumed.approve('clerk/call:1.1')
    expect(await resumed.whenIdle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ toolName: 'refund' }],
    })
    await second.close()
    // The verdict stands: a program that asks no more still asks for this call.
    const third = createTroupe({ agents: [make(false, paid, ['Done.'])], store })
    await third.signal(run.id, { type: 'deny', toolCallId: 'clerk/call:2.1' })
    const last = await third.resume(run.id)
    expect(await last.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(paid).toEqual([])
    expect((await third.replay(run.id)).result).toEqual(await last.result)
  })
})

/** A desk that holds, and then has its clerk work. */
function desk(options: SupervisorOptions, steps: readonly ScriptedStep[]) {
  const worker = createAgent({ id: 'clerk', description: 'Works.', model: model(['Worked.']) })
  return createSupervisor({
    id: 'desk',
    model: model(steps),
    tools: { hold },
    agents: { clerk: worker },
    ...options,
  })
}

async function held(options: SupervisorOptions = {}) {
  const store = memoryStore()
  const agent = desk(options, [calls({ name: 'hold' })])
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await run.whenIdle
  await troupe.close()
  return { store, runId: run.id }
}

describe('a policy of delegations', () => {
  test.each(Object.entries(policies))('that is %s by now asks for a later one', async (_name, policy) => {
    const { store, runId } = await held()
    const agent = desk({ delegation: { requireApproval: policy } }, [calls(to('clerk', 'Work.')), 'Done.'])
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.resume(runId)
    await run.approve('desk/call:1.1')
    expect(await run.whenIdle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ toolName: 'agent-clerk' }],
    })
    await troupe.close()
    const last = createTroupe({ agents: [desk({}, ['Done.'])], store })
    await last.signal(runId, { type: 'deny', toolCallId: 'desk/delegation:2.1' })
    const result = await (await last.resume(runId)).result
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'rejected' }] })
    expect((await last.replay(runId)).result).toEqual(result)
  })
})

describe('a policy of delegations that is gone', () => {
  test('asks a person in its place', async () => {
    const { store, runId } = await held({ delegation: { requireApproval: () => false } })
    const agent = desk({}, [calls(to('clerk', 'Work.')), 'Done.'])
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.resume(runId)
    await run.approve('desk/call:1.1')
    expect(await run.whenIdle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ toolName: 'agent-clerk' }],
    })
    await run.deny('desk/delegation:2.1')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'completed', delegations: [{ outcome: 'rejected' }] })
    expect((await troupe.replay(runId)).result).toEqual(result)
  })
})

describe('a budget', () => {
  const steps = [calls(to('clerk', 'Work.')), 'Done.']

  test.each<[string, SupervisorOptions]>([
    ['that is new', {}],
    ['that is lower', { budget: { modelCalls: 20 } }],
  ])('%s by now holds for calls that are not made yet', async (_name, before) => {
    const { store, runId } = await held(before)
    const agent = desk({ budget: { modelCalls: 1 } }, steps)
    const troupe = createTroupe({ agents: [agent], store })
    const run = await troupe.resume(runId)
    await run.approve('desk/call:1.1')
    const result = await run.result
    expect(result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
    await troupe.close()
    // The refusal is on record: it stands whatever the program says later.
    const later = createTroupe({ agents: [desk({}, steps)], store })
    expect((await later.replay(runId)).result).toEqual(result)
    expect((await later.replay(runId)).diverged).toBeUndefined()
  })

  test('that is higher by now changes nothing', async () => {
    const { store, runId } = await held({ budget: { modelCalls: 1 } })
    const troupe = createTroupe({ agents: [desk({ budget: { modelCalls: 50 } }, steps)], store })
    const run = await troupe.resume(runId)
    await run.approve('desk/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'exhausted', reason: 'budget' })
  })

  test('of the run is not changed by that of its agent', async () => {
    const store = memoryStore()
    const before = desk({}, [calls({ name: 'hold' })])
    const first = createTroupe({ agents: [before], store })
    const begun = await first.start(before, 'Go', { budget: { modelCalls: 20 } })
    await begun.whenIdle
    await first.close()
    const second = createTroupe({ agents: [desk({ budget: { modelCalls: 1 } }, steps)], store })
    const run = await second.resume(begun.id)
    await run.approve('desk/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })
})
