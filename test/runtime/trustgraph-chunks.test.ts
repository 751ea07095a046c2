import { expect, test } from 'vitest'
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  toTrustGraphChunks,
  type TrustGraphChunk,
} from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const look = createTool({
  id: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ q: z.string() }),
  execute: ({ q }) => `all about ${q}`,
})

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
    { session: 'run', type: 'answer', text: 'Let me ask.', ends: true, endings: 1 },
    { session: scouting, type: 'answer', text: 'Tides come twice.', ends: true, endings: 1 },
    { session: 'run', type: 'answer', text: 'Twice a day.', ends: true, endings: 1 },
  ])
  expect(chunks.filter(({ end_of_dialog }) => end_of_dialog)).toEqual([chunks.at(-1)])
  expect(chunks.at(-1)).toMatchObject({ session_id: run.id, message_type: 'answer', content: 'Twice a day.' })
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
      message_id: `${run.id}/end`,
      session_id: run.id,
      message_type: 'answer',
      content: '',
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
    [`${run.id}/lead/delegation:1.1/scout`, 'Tides come twice.', false],
    [run.id, 'Let me ask.', false],
    [run.id, 'Tides come twice.', true],
  ])
  expect(new Set(chunks.map(({ message_id }) => message_id)).size).toBe(3)
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
  const found = await troupe.runs({ conversationId: 'talk' })
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
  run.approve('solo/call:1.1')
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
