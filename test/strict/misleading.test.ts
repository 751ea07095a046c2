/** What a newcomer gave that is wrong: the message says what it is, and what to write instead. */
import { createAgent, createPlanner, createSupervisor, createTool, createTroupe, memoryStore } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, to, worker } from '../support/agents/agents.ts'
import { rejection } from '../support/agents/model-calls.ts'

const wrong = (given: unknown): never => given as never
const model = scriptedModel([], { otherwise: 'Hello.' })
const agent = createAgent({ id: 'a', instructions: 'Talk.', model })

/** What the delegation of a supervisor says whose hook answers so. */
async function hookAnswering(answer: unknown): Promise<string | undefined> {
  const clerk = worker('clerk', ['Checked.']).agent
  const lead = createSupervisor({
    id: 'lead',
    instructions: 'Lead.',
    model: scriptedModel([calls(to('clerk', 'Check.'))], { otherwise: 'Done.' }),
    agents: { clerk },
    delegation: { onDelegationStart: () => wrong(answer) },
  })
  const { delegations } = await lead.generate('Go')
  return delegations[0]?.error?.message
}

test.each([
  [{ reject: true }, 'to reject, answer { proceed: false, rejectionReason }'],
  [{ deny: 'No.' }, 'to reject, answer { proceed: false, rejectionReason }'],
  [false, 'expected an object with any of proceed, rejectionReason, '],
  ['no', 'expected an object with any of proceed, rejectionReason, '],
  [[], 'expected an object with any of proceed, rejectionReason, '],
])('a hook that answers %j', async (answer, message) => {
  expect(await hookAnswering(answer)).toContain(message)
})

test.each<[string, () => unknown, string]>([
  ['nothing at all', () => createAgent(wrong(null)), 'createAgent: expected an object of options, not null.'],
  [
    'a promise of an agent',
    () => createAgent(wrong(Promise.resolve({}))),
    'createAgent: expected an object of options, not a promise: await it first.',
  ],
  [
    'a store as memory',
    () => createAgent({ id: 'a', model, instructions: '', memory: wrong(memoryStore()) }),
    'memory: a store belongs in createTroupe({ agents, store })',
  ],
  [
    'a word as the approval of plans',
    () => createPlanner({ id: 'p', model, instructions: '', approvePlan: wrong('always') }),
    'approvePlan must be true, false or a function, not "always".',
  ],
  [
    'a list as instructions',
    () => createAgent({ id: 'a', model, instructions: wrong(['Talk.']) }),
    'must be a text, not ["Talk."]',
  ],
  [
    'a promise as instructions',
    () => createAgent({ id: 'a', model, instructions: wrong(Promise.resolve('')) }),
    'not a promise: await it first',
  ],
  [
    'a promise as a store',
    () => createTroupe({ agents: [agent], store: wrong(Promise.resolve(memoryStore())) }),
    'not a promise: await it first',
  ],
  [
    'a promise as maxSteps',
    () => createAgent({ id: 'a', model, maxSteps: wrong(Promise.resolve(1)) }),
    'not a promise: await it first',
  ],
  [
    'generate with options that have a prompt',
    () => agent.generate(wrong({ prompt: 'Go' })),
    'Give the prompt alone: generate(prompt, options).',
  ],
  [
    'generate with options that have messages',
    () => agent.generate(wrong({ messages: [] })),
    'Give the messages alone: generate(messages, options).',
  ],
  [
    'generate with options that have an input',
    () => agent.generate(wrong({ input: 'Go' })),
    'Give the input alone: generate(input, options).',
  ],
  [
    'generate with a promise',
    () => agent.generate(wrong(Promise.resolve('Go'))),
    'not a promise: await it first',
  ],
])('%s', async (_, use, message) => {
  const error = await rejection(Promise.resolve().then(use))
  expect(error).toMatchObject({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(message) })
})

test('limits of tenants that come as a promise', async () => {
  const limits = wrong(() => Promise.resolve([]))
  const troupe = createTroupe({ agents: [agent], store: memoryStore(), tenants: { limits } })
  const run = await troupe.start(agent, 'Go', { resourceId: 'ann' })
  const message = 'createTroupe: tenants.limits must be a list, not a promise: await it first.'
  expect(await run.result).toMatchObject({ error: { message } })
  await troupe.close()
})

test('an answer in a troupe that does not have the agents of the run', async () => {
  const store = memoryStore()
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })
  const clerk = worker('clerk', [calls({ name: 'ask' })], { tools: { ask } }).agent
  const troupe = createTroupe({ agents: [clerk], store })
  const run = await troupe.start(clerk, 'Go')
  await run.whenIdle
  await troupe.close()
  const other = createTroupe({ agents: [agent], store })
  const error = await rejection(other.signal(run.id, { type: 'approve', toolCallId: 'clerk/call:1.1' }))
  expect(error).toMatchObject({
    message: expect.stringContaining('Give the agent to createTroupe({ agents })'),
  })
  expect(error).toMatchObject({ message: expect.stringContaining('troupe answer <store> <run>') })
  await other.close()
})
