import { expect, test } from 'vitest'
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
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
