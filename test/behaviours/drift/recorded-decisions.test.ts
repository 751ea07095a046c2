/**
 * Each replay reads the replies on record again. What an edit makes of the arguments in them is drift: the verdict at the call
 * stands, and so does the policy at the call.
 */
import {
  createAgent,
  createDispatcher,
  createFanOut,
  createPlanner,
  createRouter,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type Store,
  type Tool,
} from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedStep } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, to } from '../../support/agents/agents.ts'
import { done, toAgent, toTool } from '../../support/agents/routing.ts'

type Policy = NonNullable<Parameters<typeof createTool>[0]['requireApproval']>

/** What they say of the arguments `{ n: 1 }`. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  'that takes them': z.object({ n: z.number() }),
  'with another required field': z.object({ n: z.number(), reason: z.string() }),
  'that takes them later': z.object({ n: z.number() }).refine(async () => Promise.resolve(true)),
  'that refuses them later': z.object({ n: z.number() }).refine(async () => Promise.resolve(false)),
  'that throws': z.object({ n: z.number() }).refine(() => {
    throw new Error('oops')
  }),
}

const args = { n: 1 }

function refund(inputSchema: z.ZodType, requireApproval: Policy, paid: unknown[]): Tool {
  return createTool({
    id: 'refund',
    description: 'Pays.',
    inputSchema,
    requireApproval,
    execute: () => paid.push('paid'),
  })
}

/** Holds the run until a deploy has come. */
const hold = createTool({
  id: 'hold',
  description: 'Holds.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'held',
})

const plan = (...steps: readonly object[]) => JSON.stringify({ steps })
const step = (id: string, more: object = {}) => ({ id, goal: id, ...more })

interface Way {
  /** The replies that lead to the call; the model goes on with `answer`. */
  readonly asks: readonly ScriptedStep[]
  readonly answer: ScriptedStep
  make(model: ScriptedModel, tools: Record<string, Tool>): AnyAgent
}

const router: Way['make'] = (model, tools) => createRouter({ id: 'desk', model, memory: true, tools })
const planner: Way['make'] = (model, tools) =>
  createPlanner({ id: 'desk', model, tools, reviewSteps: true, maxReplans: 1 })

/** How an agent comes to call a tool. */
const ways = {
  'a reply of an agent': {
    asks: [calls({ name: 'refund', args })],
    answer: 'Done.',
    make: (model, tools) => createAgent({ id: 'desk', model, tools }),
  },
  'a reply of a supervisor': {
    asks: [calls({ name: 'refund', args })],
    answer: 'Done.',
    make: (model, tools) => createSupervisor({ id: 'desk', model, tools, agents: {} }),
  },
  'a decision of a router': { asks: [toTool('refund', args)], answer: done('Done.'), make: router },
  'a decision of a dispatcher': {
    asks: [toTool('refund', args)],
    answer: 'Done.',
    make: (model, tools) => createDispatcher({ id: 'desk', model, tools }),
  },
  'a plan': { asks: [plan(step('a', { toolHint: 'refund', args }))], answer: 'Done.', make: planner },
  'an action for a step': {
    asks: [plan(step('a')), JSON.stringify({ tool: 'refund', args })],
    answer: 'Done.',
    make: planner,
  },
} as const satisfies Readonly<Record<string, Way>>

const scripted = (steps: readonly ScriptedStep[], otherwise: ScriptedStep) =>
  scriptedModel(steps, { modelId: 'm', otherwise })

/** A run as far as it comes by itself, in a store that its process has left. */
async function left(agent: AnyAgent): Promise<{ store: Store; runId: string; outcome: string }> {
  const store = memoryStore()
  const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
  const run = await troupe.start(agent, 'Go')
  const { outcome } = await run.whenIdle
  await troupe.close()
  return { store, runId: run.id, outcome }
}

const edits = Object.keys(schemas).flatMap((before) =>
  Object.keys(schemas).map((after) => [before, after] as const),
)

describe.each(Object.entries<Way>(ways))('%s that calls a tool', (_name, { asks, answer, make }) => {
  test.each(edits)('whose schema is one %s, and then one %s', async (before, after) => {
    const program = (schema: string, steps: readonly ScriptedStep[], paid: unknown[]) =>
      make(scripted(steps, answer), { refund: refund(schemas[schema] as z.ZodType, true, paid) })
    const { store, runId, outcome } = await left(program(before, asks, []))
    expect(outcome === 'suspended').toBe(before.includes('takes them'))
    const paid: unknown[] = []
    const agent = program(after, [], paid)
    const troupe = createTroupe({ agents: [agent], store, onError: () => undefined })
    // As long as no entry tells of the edit, it shows in the digests alone.
    const digests = [undefined, 'digest of the input']
    expect(digests).toContain((await troupe.replay(runId)).diverged?.field)
    const run = await troupe.resume(runId)
    if (outcome === 'suspended') {
      const [question] = (await troupe.awaiting()).items
      await run.approve(question?.toolCallId ?? '')
    }
    const result = await run.result
    expect(result.outcome).not.toBe('suspended')
    // A call that was refused stays refused, and one that an edit makes invalid fails where it is performed.
    expect(paid).toHaveLength(before.includes('takes them') && after.includes('takes them') ? 1 : 0)
    const replayed = await troupe.replay(runId)
    expect(replayed.result).toEqual(result)
    expect(outcome === 'suspended' ? digests.slice(0, 1) : digests).toContain(replayed.diverged?.field)
  })
})

const policies: Readonly<Record<string, Policy>> = { true: true, 'a function': () => true }

/** The replies that lead to a call of `hold`, and after it to a call of `name`. */
const later: Readonly<
  Record<
    string,
    Pick<Way, 'answer'> & { before: readonly ScriptedStep[]; after(name: string): ScriptedStep[] }
  >
> = {
  'a reply of a supervisor': {
    before: [calls({ name: 'hold' })],
    after: (name) => [calls(name === 'refund' ? { name, args } : to('clerk', 'Work.'))],
    answer: 'Done.',
  },
  'a decision of a router': {
    before: [toTool('hold', {})],
    after: (name) => [name === 'refund' ? toTool(name, args) : toAgent('clerk', 'Work.')],
    answer: done('Done.'),
  },
  'a plan': {
    before: [plan(step('h', { toolHint: 'hold', args: {} }), step('z', { dependsOn: ['h'] }))],
    after: (name) => [
      JSON.stringify({ replan: 'Pay.' }),
      plan(step('a', { toolHint: name, ...(name === 'refund' ? { args } : {}) })),
    ],
    answer: 'Done.',
  },
  'an action for a step': {
    before: [plan(step('h', { toolHint: 'hold', args: {} }), step('z', { dependsOn: ['h'] }))],
    after: (name) => [
      JSON.stringify({ replan: null }),
      JSON.stringify({ tool: name, args: name === 'refund' ? args : { prompt: 'Work.' } }),
    ],
    answer: 'Done.',
  },
}

const clerk = () =>
  createAgent({ id: 'clerk', description: 'Works.', model: scripted([], 'Worked.'), tools: { hold } })

interface Stricter {
  readonly tool?: Policy
  readonly delegation?: Policy
}

/** The agents of `later`. */
function makeLater(
  way: string,
  model: ScriptedModel,
  { tool = false, delegation = false }: Stricter,
  paid: unknown[],
): AnyAgent {
  const tools = { hold, refund: refund(schemas['that takes them'] as z.ZodType, tool, paid) }
  const common = {
    id: 'desk',
    model,
    tools,
    agents: { clerk: clerk() },
    ...(delegation === false ? {} : { delegation: { requireApproval: delegation } }),
  }
  if (way.includes('router')) return createRouter({ ...common, memory: true })
  if (way.includes('supervisor')) return createSupervisor(common)
  return createPlanner({ ...common, reviewSteps: true, maxReplans: 1 })
}

describe.each(Object.entries(later))('%s after a deploy', (way, { before, after, answer }) => {
  test.each(
    ['refund', 'agent-clerk'].flatMap((name) =>
      Object.entries(policies).map(([said, policy]) => [name, said, policy] as const),
    ),
  )('has the policy of %s that is %s by now', async (name, _said, policy) => {
    const { store, runId } = await left(makeLater(way, scripted(before, answer), {}, []))
    const paid: unknown[] = []
    const stricter = name === 'refund' ? { tool: policy } : { delegation: policy }
    const today = makeLater(way, scripted(after(name), answer), stricter, paid)
    const second = createTroupe({ agents: [today], store })
    const run = await second.resume(runId)
    const [held] = (await second.awaiting()).items
    await run.approve(held?.toolCallId ?? '')
    expect(await run.whenIdle).toMatchObject({ outcome: 'suspended', awaiting: [{ toolName: name }] })
    const [question] = (await second.awaiting()).items
    await second.close()
    // The verdict stands: a program that asks no more still asks for this call.
    const third = createTroupe({ agents: [makeLater(way, scripted([], answer), {}, paid)], store })
    await third.signal(runId, { type: 'deny', toolCallId: question?.toolCallId ?? '' })
    const result = await (await third.resume(runId)).result
    expect(result.outcome).not.toBe('suspended')
    expect(result.delegations.filter(({ outcome }) => outcome === 'succeeded')).toEqual([])
    expect(paid).toEqual([])
    expect((await third.replay(runId)).result).toEqual(result)
  })
})

test.each(Object.entries(policies))(
  'a goal of a fan-out has the policy of delegations that is %s by now',
  async (_name, policy) => {
    const goals = (complete?: boolean) =>
      JSON.stringify({
        ...(complete === undefined ? {} : { complete }),
        goals: [{ goal: 'Work.', agent: 'clerk', context: null }],
      })
    const make = (replies: readonly ScriptedStep[], of: readonly ScriptedStep[], today: Policy) =>
      createFanOut({
        id: 'desk',
        model: scripted(replies, 'Done.'),
        agents: {
          clerk: createAgent({
            id: 'clerk',
            description: 'Works.',
            model: scripted(of, 'Worked.'),
            tools: { hold },
          }),
        },
        ...(today === false ? {} : { delegation: { requireApproval: today } }),
      })
    const { store, runId } = await left(make([goals()], [calls({ name: 'hold' })], false))
    const troupe = createTroupe({ agents: [make([goals(false)], [], policy)], store })
    const run = await troupe.resume(runId)
    const [held] = (await troupe.awaiting()).items
    await run.approve(held?.toolCallId ?? '')
    expect(await run.whenIdle).toMatchObject({
      outcome: 'suspended',
      awaiting: [{ toolName: 'agent-clerk' }],
    })
    const [question] = (await troupe.awaiting()).items
    await run.deny(question?.toolCallId ?? '')
    const result = await run.result
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(['succeeded', 'rejected'])
    expect((await troupe.replay(runId)).result).toEqual(result)
  },
)
