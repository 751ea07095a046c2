/** What a provider says beside text and calls comes back to it: each rule answers 400 where it does not. */
import {
  createAgent,
  createSupervisor,
  createTool,
  createTroupe,
  memoryStore,
  type AnyAgent,
  type ChatModel,
  type Store,
} from 'troupe'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { allEvents, until } from '../../support/agents/agents.ts'
import { startProvider, type ProviderServer, type Script } from '../../support/providers/provider-server.ts'
import { wires } from '../../support/providers/wires.ts'

/** The data of every provider here; its reasoning as text may be in the events. */
const secret = /signature-\d|signed-\d|sealed-\d/

const look = createTool({
  id: 'look',
  description: 'Looks something up.',
  inputSchema: z.object({ topic: z.string() }),
  execute: ({ topic }) => `All about ${topic}.`,
})
const looks = (...topics: readonly string[]) => ({
  calls: topics.map((topic) => ({ name: 'look', args: { topic } })),
})

const servers: ProviderServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function served(name: string, script: Script): Promise<{ server: ProviderServer; model: ChatModel }> {
  const wire = wires[name]
  if (wire === undefined) throw new Error(`There is no wire "${name}".`)
  const server = await startProvider(wire.provider(), script)
  servers.push(server)
  return { server, model: wire.model(server.url) }
}

function solo(
  model: ChatModel,
  more: { readonly requireApproval?: boolean; readonly maxSteps?: number } = {},
) {
  const { requireApproval = false, ...caps } = more
  const tool = requireApproval ? { ...look, requireApproval } : look
  return createAgent({ id: 'solo', instructions: 'I am solo.', model, tools: { look: tool }, ...caps })
}

const steps: Script = {
  'I am solo.': [
    looks('tides', 'moons'),
    { text: 'One more.', ...looks('waves') },
    { text: 'The moon does it.' },
  ],
}

async function completed(agent: AnyAgent, stream: boolean, store: Store = memoryStore()) {
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Why tides?', { stream })
  const events = await allEvents(run)
  const result = await run.result
  return { troupe, run, events, result }
}

describe.each(Object.keys(wires))('%s', (name) => {
  describe.each([true, false])('with stream: %s', (stream) => {
    test('is given back its data with every step, and no event, result or provenance has it', async () => {
      const { server, model } = await served(name, steps)
      const { troupe, run, events, result } = await completed(solo(model), stream)
      expect(server.refusals).toEqual([])
      expect(result).toMatchObject({ outcome: 'completed', text: 'The moon does it.' })
      expect(server.requests).toHaveLength(3)
      expect(JSON.stringify([events, result])).not.toMatch(secret)
      const { provenanceOf } = await import('troupe/provenance')
      expect(JSON.stringify(await provenanceOf(troupe, run.id))).not.toMatch(secret)
    })
  })

  test('is given it back after a restart', async () => {
    const { server, model } = await served(name, steps)
    const store = memoryStore()
    const agent = solo(model, { requireApproval: true })
    const before = createTroupe({ agents: [agent], store })
    const run = await before.start(agent, 'Why tides?')
    await until(run, 'suspended')
    await before.close()
    const after = createTroupe({ agents: [solo(model, { requireApproval: true })], store })
    const resumed = await after.resume(run.id)
    for await (const event of resumed.events) {
      if (event.type === 'tool-call-approval') await resumed.approve(event.payload.toolCallId)
    }
    expect(server.refusals).toEqual([])
    expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'The moon does it.' })
    expect(server.requests).toHaveLength(3)
  })

  test('is given it back in a fork of every entry', async () => {
    const { server, model } = await served(name, steps)
    const { troupe, run } = await completed(solo(model), false)
    const journal = await troupe.journal(run.id)
    const last = journal.findIndex(({ type }) => type === 'run.settled')
    for (let at = 1; at <= last; at++) {
      const fork = await troupe.fork(run.id, { at })
      expect(await fork.result).toMatchObject({ outcome: 'completed' })
    }
    expect(server.refusals).toEqual([])
  })

  test('is given it back by each agent of a delegation, and the subagent sees nothing of its supervisor', async () => {
    const delegates = { text: 'Ask.', calls: [{ name: 'agent-helper', args: { prompt: 'Look up tides.' } }] }
    const { server, model } = await served(name, {
      'I am lead.': [delegates, delegates, { text: 'Tides it is.' }],
      'I am helper.': [looks('tides'), { text: 'Done.' }],
    })
    const helper = createAgent({
      id: 'helper',
      description: 'Looks things up.',
      instructions: 'I am helper.',
      model,
      tools: { look },
    })
    const lead = createSupervisor({
      id: 'lead',
      instructions: 'I am lead.',
      model,
      agents: { helper },
      delegation: { includeConversationHistory: false },
    })
    const { result } = await completed(lead, true)
    expect(server.refusals).toEqual([])
    expect(result).toMatchObject({ outcome: 'completed', text: 'Tides it is.' })
    const first = server.requests
      .map(({ body }) => JSON.stringify(body))
      .find((text) => text.includes('I am helper.'))
    expect(first).toBeDefined()
    expect(first).not.toMatch(secret)
  })

  test('is given it back in the final turn', async () => {
    const { server, model } = await served(name, {
      'I am solo.': [looks('tides'), looks('moons'), { text: 'So far: the moon.' }],
    })
    const { result } = await completed(solo(model, { maxSteps: 2 }), true)
    expect(server.refusals).toEqual([])
    expect(result).toMatchObject({ outcome: 'exhausted', text: 'So far: the moon.' })
  })

  test('is not given it back from a thread, which does not hold it', async () => {
    const { server, model } = await served(name, {
      'I am solo.': [looks('tides'), { text: 'The moon.' }, looks('moons'), { text: 'Yes, the moon.' }],
    })
    const agent = createAgent({
      id: 'solo',
      instructions: 'I am solo.',
      model,
      tools: { look },
      memory: true,
    })
    const store = memoryStore()
    const troupe = createTroupe({ agents: [agent], store })
    const first = await troupe.start(agent, 'Why tides?', { threadId: 't' })
    expect(await first.result).toMatchObject({ outcome: 'completed', text: 'The moon.' })
    expect(JSON.stringify(await store.memory.messages('t', {}))).not.toMatch(secret)
    // the thread has one message of the model
    const second = await troupe.start(agent, 'Sure?', { threadId: 't' })
    expect(await second.result).toMatchObject({ outcome: 'completed' })
    // the message of the thread has no reasoning: DeepSeek says so, and is sent an empty one
    expect(server.refusals.filter((refusal) => !refusal.includes('reasoning_content'))).toEqual([])
  })

  test.each(Object.keys(wires).filter((other) => other !== name))(
    'keeps it from %s, to which it hands the conversation on',
    async (other) => {
      const from = await served(name, {
        'I am desk.': [
          looks('tides'),
          { text: 'Not mine.', calls: [{ name: 'transfer-to-solo', args: { reason: 'the moon' } }] },
        ],
      })
      const to = await served(other, {
        // its history has one text of the agent before it
        'I am solo.': [{}, looks('moons'), { text: 'The moon does it.' }],
      })
      const next = createAgent({
        id: 'solo',
        description: 'Knows the moon.',
        instructions: 'I am solo.',
        model: to.model,
        tools: { look },
      })
      const desk = createAgent({
        id: 'desk',
        instructions: 'I am desk.',
        model: from.model,
        tools: { look },
        handoffs: [next],
      })
      const { result } = await completed(desk, true)
      expect(from.server.refusals).toEqual([])
      expect(result).toMatchObject({ outcome: 'completed' })
      expect(JSON.stringify(to.server.requests[0]?.body)).not.toMatch(secret)
    },
  )
})
