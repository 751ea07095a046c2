/** `maxToolCallsPerStep`: how many calls of one reply are carried out, and what becomes of the others. */
import {
  createFanOut,
  createReflexion,
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
  type JournalEntry,
  type Store,
  textOf,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { provenanceOf } from 'troupe/provenance'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, calls, lead, only, shown, to, toldOfCalls, worker } from '../../support/agents/agents.ts'

/** A tool that keeps what it was called with. */
function counting() {
  const ran: number[] = []
  const tool = createTool({
    id: 'work',
    description: 'Works.',
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }) => {
      ran.push(n)
      return `worked ${n}`
    },
  })
  return { ran, tool }
}

const work = (n: number) => ({ name: 'work', args: { n } })
const many = (count: number) => calls(...Array.from({ length: count }, (_, index) => work(index + 1)))

async function play<Options extends object>(
  agent: AgentDefinition<Options>,
  options: Options,
  store = memoryStore(),
) {
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go', options)
  const result = await run.result
  const events = await allEvents(run)
  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  return { result, events, runId: run.id, troupe, store }
}

async function entriesOf(store: Store, runId: string): Promise<readonly JournalEntry[]> {
  return (await store.read(runId)) ?? []
}

const refusal = (cap: number, count: number) =>
  `Not carried out: at most ${cap} calls of one reply are, and this reply has ${count}. Call again what is still needed.`

test('the first calls of a reply run, the others are answered as errors that say why', async () => {
  const { ran, tool } = counting()
  const { agent, model } = worker('solo', [many(5), 'Done.'], {
    tools: { work: tool },
    maxToolCallsPerStep: 2,
  })
  const { result, events } = await play(agent, {})
  expect(ran).toEqual([1, 2])
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const told = toldOfCalls(model, 2)
  expect(told.slice(0, 2)).toEqual(['worked 1', 'worked 2'])
  expect(told.slice(2)).toEqual(Array.from({ length: 3 }, () => JSON.stringify({ error: refusal(2, 5) })))
  const errors = only(events, 'tool-error').map(({ payload }) => payload)
  expect(errors).toEqual(
    [3, 4, 5].map((place) => ({
      toolCallId: `solo/call:1.${place}`,
      toolName: 'work',
      outcome: 'failed',
      error: { name: 'ToolCallError', code: 'TOO_MANY_TOOL_CALLS', message: refusal(2, 5) },
    })),
  )
  expect(only(events, 'tool-call').map(({ payload }) => payload.toolCallId)).toHaveLength(5)
  expect(result.steps[0]?.toolResults.map(({ outcome }) => outcome)).toEqual([
    'succeeded',
    'succeeded',
    'failed',
    'failed',
    'failed',
  ])
})

test('every call has an answer in the prompt that follows, whatever the model called them', async () => {
  const { tool } = counting()
  const twins = calls(...Array.from({ length: 4 }, (_, index) => ({ ...work(index + 1), id: 'same' })))
  const { agent, model } = worker('solo', [twins, 'Done.'], { tools: { work: tool }, maxToolCallsPerStep: 1 })
  await play(agent, {})
  const conversation = shown(model, 2)
  const asked = conversation.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []) : [],
  )
  const answered = conversation.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
  expect(answered).toEqual(asked.map(({ id }) => id))
  expect(new Set(answered).size).toBe(4)
})

describe('the cap', () => {
  test('is 128 unless somebody says otherwise, and is recorded', async () => {
    const { ran, tool } = counting()
    const { agent } = worker('solo', [many(130), 'Done.'], { tools: { work: tool } })
    const { store, runId } = await play(agent, {})
    expect(ran).toHaveLength(128)
    const [started] = await entriesOf(store, runId)
    expect(started).toMatchObject({ type: 'run.started', settings: { maxToolCallsPerStep: 128 } })
  })

  test('of a run stands in place of that of its agent, above it or below', async () => {
    const { ran, tool } = counting()
    const { agent } = worker('solo', [], {
      tools: { work: tool },
      maxToolCallsPerStep: 2,
      otherwise: many(5),
      maxSteps: 1,
    })
    await play(agent, { maxToolCallsPerStep: 4 })
    expect(ran.splice(0)).toHaveLength(4)
    await play(agent, { maxToolCallsPerStep: 1 })
    expect(ran.splice(0)).toHaveLength(1)
    const { store, runId } = await play(agent, {})
    expect(ran).toHaveLength(2)
    expect((await entriesOf(store, runId))[0]).toMatchObject({ settings: { maxToolCallsPerStep: 2 } })
  })

  test('of a subagent is its own', async () => {
    const { ran, tool } = counting()
    const sub = worker('sub', [many(5), 'Done.'], { tools: { work: tool }, maxToolCallsPerStep: 3 })
    const { agent } = lead('lead', [calls(to('sub', 'a')), 'Done.'], { agents: { sub: sub.agent } })
    await play(agent, { maxToolCallsPerStep: 1 })
    expect(ran).toEqual([1, 2, 3])
  })

  test('holds for each reply anew', async () => {
    const { ran, tool } = counting()
    const { agent } = worker('solo', [many(3), many(3), 'Done.'], { tools: { work: tool } })
    await play(agent, { maxToolCallsPerStep: 2 })
    expect(ran).toEqual([1, 2, 1, 2])
  })

  test('counts delegations, in the background too', async () => {
    const prompts: string[] = []
    const sub = worker('sub', [], {
      otherwise: ({ messages }) => {
        prompts.push(textOf(messages.at(-1)?.content ?? ''))
        return 'Found.'
      },
    })
    const three = calls(to('sub', 'a'), to('sub', 'b'), to('sub', 'c'))
    const { agent, model } = lead('lead', [three, 'Done.'], {
      agents: { sub: sub.agent },
      otherwise: 'Done.',
    })
    const { result } = await play(agent, { maxToolCallsPerStep: 2 })
    expect(result.delegations.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded'])
    expect(toldOfCalls(model, 2)[2]).toBe(JSON.stringify({ error: refusal(2, 3) }))
    const background = lead('lead', [three, 'Done.'], {
      agents: { sub: sub.agent },
      backgroundTasks: { sub: {} },
      otherwise: 'Done.',
    })
    const after = await play(background.agent, { maxToolCallsPerStep: 2 })
    expect(after.result.delegations).toHaveLength(2)
    expect(prompts).toHaveLength(4)
  })

  test('covers a handoff: one beyond it hands nothing on', async () => {
    const { ran, tool } = counting()
    const billing = worker('billing', ['Paid.'])
    const { agent, model } = worker('solo', [calls(work(1), { name: 'transfer-to-billing' }), 'I stay.'], {
      tools: { work: tool },
      handoffs: [billing.agent],
    })
    const { result } = await play(agent, { maxToolCallsPerStep: 1 })
    expect(result).toMatchObject({ outcome: 'completed', text: 'I stay.' })
    expect(result.handoffs).toBeUndefined()
    expect([ran, model.calls.length, billing.model.calls.length]).toEqual([[1], 2, 0])
  })

  test('refuses a second handoff beyond it, and announces that, where the first one is carried out', async () => {
    const handsOff = { name: 'transfer-to-billing' }
    const billing = worker('billing', ['Paid.'])
    const { agent } = worker('solo', [calls(handsOff, handsOff)], { handoffs: [billing.agent] })
    const { result, events } = await play(agent, { maxToolCallsPerStep: 1 })
    expect(result).toMatchObject({ outcome: 'completed', text: 'Paid.' })
    expect(only(events, 'tool-call').map(({ payload }) => payload.toolCallId)).toEqual(['solo/call:1.2'])
    expect(only(events, 'tool-error').map(({ payload }) => payload)).toEqual([
      {
        toolCallId: 'solo/call:1.2',
        toolName: 'transfer-to-billing',
        outcome: 'failed',
        error: { name: 'ToolCallError', code: 'TOO_MANY_TOOL_CALLS', message: refusal(1, 2) },
      },
    ])
  })

  test('is that of a reflexion too', async () => {
    const { ran, tool } = counting()
    const model = scriptedModel([
      many(3),
      { text: JSON.stringify({ satisfied: true, critique: '' }) },
      'Done.',
    ])
    const agent = createReflexion({
      id: 'solo',
      description: 'x',
      instructions: 'x',
      model,
      tools: { work: tool },
      maxCritiques: 1,
      maxToolCallsPerStep: 1,
    })
    await play(agent, {})
    expect(ran).toEqual([1])
  })

  test('is none of goals', async () => {
    const sub = worker('sub', [], { otherwise: 'Found.' })
    const goals = Array.from({ length: 140 }, (_, index) => ({ goal: `goal ${index}`, agent: 'sub' }))
    const model = scriptedModel([JSON.stringify({ goals }), 'Done.'])
    const agent = createFanOut({
      id: 'lead',
      description: 'x',
      instructions: 'x',
      model,
      agents: { sub: sub.agent },
      maxGoals: 140,
      maxRounds: 1,
    })
    const { result } = await play(agent, {})
    expect(result.delegations.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(140)
  })

  test.each([0, -1, 1.5, '3'])('is no %j', async (cap) => {
    const { agent } = worker('solo', [])
    const options = { maxToolCallsPerStep: cap } as object
    await expect(agent.generate('Go', options)).rejects.toThrow('maxToolCallsPerStep')
  })
})

test('a journal that records none is replayed without one', async () => {
  const { ran, tool } = counting()
  const { agent } = worker('solo', [many(3), 'Done.'], { tools: { work: tool } })
  const { store, runId } = await play(agent, {})
  const [started, ...entries] = await entriesOf(store, runId)
  if (started?.type !== 'run.started') throw new Error('A journal begins with run.started.')
  const { maxToolCallsPerStep: _cap, ...settings } = started.settings
  const before: Store = { ...store, read: async () => [{ ...started, settings }, ...entries] }
  const capped = worker('solo', [], { tools: { work: tool }, maxToolCallsPerStep: 1 })
  const troupe = createTroupe({ agents: [capped.agent], store: before })
  expect((await troupe.replay(runId)).result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(ran).toEqual([1, 2, 3])
})

test('a provenance graph has the calls that were not carried out', async () => {
  const { tool } = counting()
  const { agent } = worker('solo', [many(2), 'Done.'], { tools: { work: tool } })
  const { troupe, runId } = await play(agent, { maxToolCallsPerStep: 1 })
  const codes = [...(await provenanceOf(troupe, runId)).quads]
    .filter(({ predicate }) => predicate.value.endsWith('errorCode'))
    .map(({ object }) => object.value)
  expect(codes).toEqual(['TOO_MANY_TOOL_CALLS'])
})
