/** The store of the workers, from a client: each has opened it for itself, as on machines of their own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigurationError, createMetaRouter, type AnyAgent, TerminalError, type Store } from 'troupe'
import { restateTroupe, type RestateTroupeWithStore } from 'troupe/restate'
import { sqliteStore } from 'troupe/sqlite'
import { scriptedModel } from 'troupe/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shown, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk
const directory = mkdtempSync(join(tmpdir(), 'troupe-restate-store-'))
const stores: Store[] = []

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(async () => {
  await desk[Symbol.asyncDispose]()
  for (const store of stores) await store.close?.()
  rmSync(directory, { recursive: true, force: true })
})

function open(namespace: string): Store {
  const store = sqliteStore(join(directory, `${namespace}.db`))
  stores.push(store)
  return store
}

/** A client, beside workers that have opened the same store. */
async function client(agent: AnyAgent, namespace: string): Promise<RestateTroupeWithStore> {
  await desk.serve({ agents: [agent], namespace, store: open(namespace) })
  const { ingress } = desk.server
  return restateTroupe({ ingress, namespace, agents: [agent], store: open(namespace), pollInterval: 10 })
}

const sale = { name: 'sale', description: 'Sells.', valid_patterns: ['react'] }
const repair = { name: 'repair', description: 'Mends.', valid_patterns: ['react'] }

test('workers choose from what the client sets while they run', async () => {
  const { agent: guide } = worker('guide', [], { otherwise: 'Lamps.' })
  const agent = createMetaRouter({
    id: 'router',
    instructions: 'Route.',
    model: scriptedModel([], { otherwise: '{"taskType":"repair","rationale":"It is broken."}' }),
    agents: { react: guide },
    taskTypes: [],
  })
  const troupe = await client(agent, 'set')
  const choices = async () => {
    const result = await (await troupe.start(agent, 'A lamp, please')).result
    expect(result).toMatchObject({ outcome: 'completed', text: 'Lamps.' })
    return result.decisions?.map(({ candidates, choice }) => [candidates, choice])[0]
  }
  expect(await choices()).toEqual([[], 'general'])
  await troupe.config.load({ 'agent-task-type': { sale } })
  expect(await choices()).toEqual([['sale'], 'sale'])
  await troupe.config.set('agent-task-type', 'repair', repair)
  expect(await choices()).toEqual([['sale', 'repair'], 'repair'])
  expect(await troupe.config.items('agent-task-type')).toMatchObject([{ key: 'sale' }, { key: 'repair' }])
  await troupe.config.delete('agent-task-type', 'repair')
  expect(await choices()).toEqual([['sale'], 'sale'])
  await expect(troupe.config.set('agent-task-type', 'bad', { name: 1 })).rejects.toThrow(ConfigurationError)
})

test('the client shows, fills and deletes the threads of the workers', async () => {
  const { agent, model } = worker('friend', [], { otherwise: 'Hello, Ada.', memory: true })
  const troupe = await client(agent, 'threads')
  const said = { id: 'm1', role: 'user', content: 'I am Ada.', at: 1 } as const
  await troupe.memory.save('thread', [said], 'ada')
  const options = { threadId: 'thread', resourceId: 'ada' }
  await (
    await troupe.start(agent, 'Who am I?', options)
  ).result
  expect(shown(model, 1).map(({ content }) => content)).toEqual(['I am friend.', 'I am Ada.', 'Who am I?'])
  const messages = await troupe.memory.messages('thread')
  expect(messages.map(({ content }) => content)).toEqual(['I am Ada.', 'Who am I?', 'Hello, Ada.'])
  await troupe.memory.deleteThread('thread')
  await (
    await troupe.start(agent, 'Who am I?', options)
  ).result
  expect(shown(model, 2).map(({ content }) => content)).toEqual(['I am friend.', 'Who am I?'])
})

test('of two runs that begin a thread at once one has it, and gives it up when it ends without an answer', async () => {
  const down = (): never => {
    throw new TerminalError('The model is down.')
  }
  const { agent, model } = worker('claimer', [down, 'Hello.', 'Hello.'], { memory: true })
  const troupe = await client(agent, 'claims')
  const ended = async (resourceId: string, threadId: string) =>
    (await troupe.start(agent, `I am ${resourceId}.`, { threadId, resourceId })).result
  expect(await ended('ann', 'first')).toMatchObject({ outcome: 'failed' })
  expect(await ended('bob', 'first')).toMatchObject({ outcome: 'completed' })
  const both = await Promise.all([ended('ann', 'second'), ended('bob', 'second')])
  expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['completed', 'failed'])
  expect(both.find(({ outcome }) => outcome === 'failed')).toMatchObject({
    error: { code: 'THREAD_OF_ANOTHER_RESOURCE' },
  })
  expect(model.calls).toHaveLength(3)
})

test('without a store a client has neither', () => {
  const { agent } = worker('plain', [])
  const troupe: object = desk.client(agent, 'none')
  expect(Object.keys(troupe)).not.toContain('memory')
  expect(Object.keys(troupe)).not.toContain('config')
})
