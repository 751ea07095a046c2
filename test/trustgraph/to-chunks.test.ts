import { describe, expect, test } from 'vitest'
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AgentDefinition,
} from 'troupe'
import { toProvenance } from 'troupe/provenance'
import { scriptedModel } from 'troupe/testing'
import { toTrustGraphChunks, type TrustGraphChunk } from 'troupe/trustgraph'
import { z } from 'zod'
import { allEvents, calls, lead, to, worker } from '../support/agents/agents.ts'
import { transfer } from '../support/agents/handoffs.ts'

const look = createTool({
  id: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `all about ${q}`,
})

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

async function chunksOf(chunks: AsyncIterable<TrustGraphChunk>): Promise<TrustGraphChunk[]> {
  const all: TrustGraphChunk[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}

test('chunks of a nested run: grouped by message and session, each message ended once, the dialog ended once', async () => {
  const scout = createAgent({
    id: 'scout',
    description: 'Finds.',
    instructions: '',
    model: scriptedModel([
      { reasoning: 'I must look.', toolCalls: [{ name: 'look', args: { q: 'tides' } }] },
      'Tides come twice.',
    ]),
    tools: { look },
  })
  const lead = createSupervisor({
    id: 'lead',
    instructions: '',
    model: scriptedModel([
      { text: 'Let me ask.', toolCalls: [{ name: 'agent-scout', args: { prompt: 'Tides?' } }] },
      'Twice a day.',
    ]),
    agents: { scout },
  })
  const troupe = createTroupe({ agents: [lead] })
  const run = await troupe.start(lead, 'How often?')
  const chunks = await chunksOf(toTrustGraphChunks(run.events))

  const messages = Map.groupBy(chunks, ({ message_id }) => message_id)
  const told = [...messages.values()].map((parts) => ({
    session: parts[0]?.session_id.replace(run.id, 'run'),
    type: parts[0]?.message_type,
    text: parts.map(({ content }) => content).join(''),
    ends: parts.map(({ end_of_message }) => end_of_message).lastIndexOf(true) === parts.length - 1,
    endings: parts.filter(({ end_of_message }) => end_of_message).length,
  }))
  const scouting = 'run/lead/delegation:1.1/scout'
  expect(told.toSorted((a, b) => a.text.localeCompare(b.text))).toEqual([
    {
      session: scouting,
      type: 'action',
      text: '{"name":"look","args":{"q":"tides"}}',
      ends: true,
      endings: 1,
    },
    { session: scouting, type: 'observation', text: 'all about tides', ends: true, endings: 1 },
    { session: scouting, type: 'thought', text: 'I must look.', ends: true, endings: 1 },
    { session: 'run', type: 'thought', text: 'Let me ask.', ends: true, endings: 1 },
    { session: scouting, type: 'answer', text: 'Tides come twice.', ends: true, endings: 1 },
    { session: 'run', type: 'answer', text: 'Twice a day.', ends: true, endings: 1 },
  ])
  expect(chunks.filter(({ end_of_dialog }) => end_of_dialog)).toEqual([chunks.at(-1)])
  expect(chunks.at(-1)).toMatchObject({ session_id: run.id, message_type: 'answer' })
})

test('a run that ends without a word ends its dialog', async () => {
  const mute = createAgent({
    id: 'mute',
    instructions: '',
    model: scriptedModel([{ error: new Error('no') }]),
  })
  const run = await createTroupe({ agents: [mute] }).start(mute, 'Hm?')
  expect(await chunksOf(toTrustGraphChunks(run.events))).toEqual([
    {
      message_id: expect.stringMatching(uuid),
      session_id: run.id,
      message_type: 'error',
      content: 'no',
      end_of_message: true,
      end_of_dialog: true,
    },
  ])
})

test('an answer that another agent gave ends the dialog, after the words of the root', async () => {
  const scout = createAgent({
    id: 'scout',
    description: 'Finds.',
    instructions: '',
    model: scriptedModel(['Tides come twice.']),
  })
  const lead = createSupervisor({
    id: 'lead',
    instructions: '',
    model: scriptedModel([
      { text: 'Let me ask.', toolCalls: [{ name: 'agent-scout', args: { prompt: 'Tides?' } }] },
    ]),
    agents: { scout },
    delegation: { onDelegationComplete: ({ bail }) => bail() },
  })
  const run = await createTroupe({ agents: [lead] }).start(lead, 'How often?')
  expect(await run.result).toMatchObject({ outcome: 'bailed', text: 'Tides come twice.' })
  const chunks = (await chunksOf(toTrustGraphChunks(run.events))).filter(
    ({ end_of_message }) => end_of_message,
  )
  expect(
    chunks.map(({ session_id, content, end_of_dialog }) => [session_id, content, end_of_dialog]),
  ).toEqual([
    [run.id, 'Let me ask.', false],
    [`${run.id}/lead/delegation:1.1/scout`, 'Tides come twice.', false],
    [run.id, 'Tides come twice.', true],
  ])
  expect(new Set(chunks.map(({ message_id }) => message_id)).size).toBe(3)
})

describe('after a handoff', () => {
  const told = async (agent: AgentDefinition) => {
    const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
    const chunks = await chunksOf(toTrustGraphChunks(run.events))
    expect(chunks.filter(({ end_of_dialog }) => end_of_dialog)).toEqual([chunks.at(-1)])
    const ids = new Set(chunks.map(({ message_id }) => message_id))
    const ends = chunks.filter(({ end_of_message }) => end_of_message)
    expect(ends.map(({ message_id }) => message_id).toSorted()).toEqual([...ids].toSorted())
    const { quads } = toProvenance(await allEvents(run))
    const sessions = quads.filter(({ predicate }) => predicate.value === 'urn:troupe:ns:sessionId')
    expect(sessions.map(({ object }) => object.value)).toEqual(
      expect.arrayContaining(chunks.map(({ session_id }) => session_id)),
    )
    return Array.from(
      Map.groupBy(chunks, ({ message_id }) => message_id).values(),
      (parts) =>
        `${parts[0]?.session_id.replace(run.id, 'run')} ${parts[0]?.message_type}: ${parts.map(({ content }) => content).join('')}`,
    )
  }

  test('whoever goes on has a session of its own, and the dialog ends in it', async () => {
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: () => 'seen',
    })
    const billing = worker('billing', [{ text: 'I look.', ...calls({ name: 'look' }) }, 'It is paid.'], {
      tools: { look },
    })
    const steps = [{ text: 'I pass you on.', ...calls({ name: 'look' }, transfer('billing')) }]
    const { agent } = worker('triage', steps, { handoffs: [billing.agent], tools: { look } })
    expect(await told(agent)).toEqual([
      'run thought: I pass you on.',
      'run action: {"name":"look","args":{}}',
      'run observation: seen',
      'run/billing~1 thought: I look.',
      'run/billing~1 action: {"name":"look","args":{}}',
      'run/billing~1 observation: seen',
      'run/billing~1 answer: It is paid.',
    ])
  })

  test('in a delegation it goes on in that, and the dialog with whoever delegated', async () => {
    const look = createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema: z.object({}),
      execute: () => 'seen',
    })
    // Agents may be called as kinds of actors are.
    const call = worker('call', [calls({ name: 'look' }), 'C says.'], { tools: { look } })
    const desk = worker('delegation', [calls({ name: 'look' }, transfer('call'))], {
      handoffs: [call.agent],
      tools: { look },
    })
    const { agent } = lead('lead', [calls(to('desk', 'Ask')), 'All told.'], { agents: { desk: desk.agent } })
    expect(await told(agent)).toEqual([
      'run/lead/delegation:1.1/delegation action: {"name":"look","args":{}}',
      'run/lead/delegation:1.1/delegation observation: seen',
      'run/lead/delegation:1.1/call~1 action: {"name":"look","args":{}}',
      'run/lead/delegation:1.1/call~1 observation: seen',
      'run/lead/delegation:1.1/call~1 answer: C says.',
      'run answer: All told.',
    ])
  })

  test('an answer that another agent gave is said by whoever had the conversation last', async () => {
    const desk = lead('desk', [calls(to('expert', 'Say'))], {
      agents: { expert: worker('expert', ['So it is.']).agent },
      delegation: { onDelegationComplete: (context) => context.bail() },
    })
    const { agent } = worker('start', [{ text: 'Wait.', ...calls(transfer('desk')) }], {
      handoffs: [desk.agent],
    })
    expect(await told(agent)).toEqual([
      'run thought: Wait.',
      'run/desk~1/delegation:1.1/expert answer: So it is.',
      'run/desk~1 answer: So it is.',
    ])
  })

  test('and so a run ends that has no answer', async () => {
    const broken = worker('broken', [{ error: new Error('no') }])
    const { agent } = worker('start', [calls(transfer('broken'))], { handoffs: [broken.agent] })
    expect(await told(agent)).toEqual(['run/broken~1 error: no'])
  })
})

test('the conversation stands on every entry, and finds its runs', async () => {
  const agent = createAgent({ id: 'solo', instructions: '', model: scriptedModel(['a', 'b', 'c']) })
  const troupe = createTroupe({ agents: [agent] })
  const runs = [
    await troupe.start(agent, 'one', { conversationId: 'talk' }),
    await troupe.start(agent, 'two'),
    await troupe.start(agent, 'three', { conversationId: 'talk' }),
  ]
  for (const run of runs) await run.result
  const found = (await troupe.runs({ conversationId: 'talk' })).items
  expect(found.map(({ runId }) => runId)).toEqual([runs[0]?.id, runs[2]?.id])
  const journal = await troupe.journal(found[0]?.runId ?? '')
  expect(journal.map(({ type, conversationId }) => [type, conversationId])).toEqual([
    ['run.started', 'talk'],
    ['effect.settled', 'talk'],
    ['run.settled', 'talk'],
  ])
})

test('also on what a tool, a person and another process add', async () => {
  const guarded = createTool({
    id: 'look',
    description: 'Looks something up.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'seen',
  })
  const store = memoryStore()
  const make = () =>
    createAgent({
      id: 'solo',
      instructions: '',
      model: scriptedModel([], {
        otherwise: ({ messages }) =>
          messages.at(-1)?.role === 'tool' ? 'Done.' : { toolCalls: [{ name: 'look' }] },
      }),
      tools: { look: guarded },
    })
  const agent = make()
  const first = createTroupe({ agents: [agent], store })
  const { id, whenIdle } = await first.start(agent, 'Go', { conversationId: 'talk' })
  await whenIdle
  await first.close()
  const second = createTroupe({ agents: [make()], store })
  const run = await second.resume(id)
  await run.approve('solo/call:1.1')
  await run.result
  const journal = await second.journal(id)
  expect(journal.map(({ type }) => type)).toEqual([
    'run.started',
    'effect.settled',
    'signal.received',
    'effect.started',
    'effect.settled',
    'effect.settled',
    'run.settled',
  ])
  expect(journal.map(({ conversationId }) => conversationId)).toEqual(journal.map(() => 'talk'))
})

test('a message of an attempt that failed is ended with the dialog', async () => {
  const { agent } = worker('solo', ['Hi.'])
  const run = await createTroupe({ agents: [agent] }).start(agent, 'Go')
  const events = await allEvents(run)
  async function* cut() {
    for (const event of events) {
      if (event.type === 'text-delta') yield { ...event, messageId: 'solo:cut' }
      yield event
    }
  }
  const chunks = await chunksOf(toTrustGraphChunks(cut()))
  const ends = chunks.filter(({ end_of_message }) => end_of_message).map(({ message_id }) => message_id)
  expect(ends).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)])
  expect(chunks.map(({ content }) => content).join('')).toBe('Hi.Hi.')
  expect(chunks.at(-1)).toMatchObject({ message_id: ends[1], end_of_dialog: true })
})
