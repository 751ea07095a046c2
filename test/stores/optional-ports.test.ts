/** A store without memory or configuration: what needs the port is refused by name, and all else goes on. */
import { createAgent, createMetaRouter, createTroupe, memoryStore, type AnyAgent, type Store } from 'troupe'
import { scriptedModel, storeContract } from 'troupe/testing'
import { describe, expect, test } from 'vitest'
import { calls, lead, to, worker } from '../support/agents/agents.ts'

type Port = 'memory' | 'config' | 'blobs' | 'census' | 'ledger'

function storeWithout(...ports: readonly Port[]): Store {
  const whole = memoryStore({ onError: () => undefined }) // a case has a listener that throws
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => !(ports as readonly string[]).includes(name)),
  ) as unknown as Store
}

const anyone = worker('anyone', []).agent

const memoryRefused = {
  name: 'ConfigurationError',
  code: 'STORE_LACKS_PORT',
  message:
    'Threads and working memory need a store with memory: memoryStore(), sqliteStore() and postgresStore() have it.',
}
const configRefused = {
  name: 'ConfigurationError',
  code: 'STORE_LACKS_PORT',
  message:
    'Run-time configuration needs a store with config: memoryStore(), sqliteStore() and postgresStore() have it.',
}

describe('without memory', () => {
  test('an agent that remembers is refused before its run, and one that does not runs', async () => {
    const { agent, model } = worker('noter', ['Noted.'], { memory: { workingMemory: true } })
    const plain = worker('plain', [], { otherwise: 'Done.' })
    const store = storeWithout('memory')
    const troupe = createTroupe({ agents: [agent, plain.agent], store })
    await expect(troupe.start(agent, 'Hi', { threadId: 't', resourceId: 'ann' })).rejects.toMatchObject(
      memoryRefused,
    )
    expect((await troupe.runs()).items).toEqual([])
    expect(model.calls).toEqual([])
    const run = await troupe.start(plain.agent, 'Hi')
    expect(await run.result).toMatchObject({ outcome: 'completed', errors: [] })
    await troupe.close()
    const again = createTroupe({ agents: [plain.agent], store })
    expect((await again.replay(run.id)).result).toMatchObject({ outcome: 'completed' })
    const fork = await again.fork(run.id, { at: 1 })
    expect((await fork.result).errors).toEqual([])
  })

  test.each<[string, () => AnyAgent]>([
    ['a function of the run', () => worker('noter', [], { memory: () => true, otherwise: 'Noted.' }).agent],
    [
      'a subagent',
      () =>
        lead('boss', [calls(to('clerk', 'Note.')), 'Done.'], {
          agents: { clerk: worker('clerk', [], { memory: true, otherwise: 'Noted.' }).agent },
        }).agent,
    ],
  ])('%s that asks for it within a run is told by name', async (_name, make) => {
    const agent = make()
    const troupe = createTroupe({ agents: [agent], store: storeWithout('memory'), onError: () => undefined })
    const run = await troupe.start(agent, 'Hi')
    const { errors } = await run.result
    expect(errors.map(({ error }) => error)).toContainEqual(
      expect.objectContaining({ code: 'STORE_LACKS_PORT', message: memoryRefused.message }),
    )
    expect((await troupe.replay(run.id)).result?.errors).toEqual(errors)
  })

  test('the memory of the troupe, and a retention of threads, are refused', async () => {
    const store = storeWithout('memory')
    const { memory } = createTroupe({ agents: [anyone], store })
    for (const call of [
      () => memory.thread('t'),
      () => memory.threads(),
      () => memory.messages('t'),
      () => memory.save('t', []),
      () => memory.deleteThread('t'),
      () => memory.workingMemory('ann'),
      () => memory.setWorkingMemory('ann', 'Likes tea.'),
    ])
      await expect(call()).rejects.toMatchObject(memoryRefused)
    expect(() => createTroupe({ agents: [anyone], store, retention: { threads: { number: 1 } } })).toThrow(
      expect.objectContaining({
        code: 'STORE_LACKS_PORT',
        message: expect.stringContaining('createTroupe: retention.threads needs a store with memory'),
      }),
    )
  })
})

describe('without configuration', () => {
  test('the configuration of the troupe is refused', async () => {
    const { config } = createTroupe({ agents: [anyone], store: storeWithout('config') })
    for (const call of [
      () => config.items('agent-pattern'),
      () => config.set('k', 'a', 1),
      () => config.delete('k', 'a'),
      () => config.load({}),
    ])
      await expect(call()).rejects.toMatchObject(configRefused)
  })

  test('a meta-router has the types and patterns of its options', async () => {
    const model = scriptedModel([], { otherwise: 'It is done.' })
    const thinker = createAgent({ id: 'thinker', description: 'Thinks.', model })
    const agent = createMetaRouter({ id: 'desk', model, agents: { react: thinker } })
    const troupe = createTroupe({ agents: [agent], store: storeWithout('config') })
    const run = await troupe.start(agent, 'Assess the risk.')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'It is done.', errors: [] })
  })
})

describe('the contract of stores', () => {
  const parts = ['memory', 'config', 'blobs', 'census', 'ledger'] as const

  test('passes a store of runs alone, that says so', async () => {
    const cases = storeContract({ open: () => ({ store: storeWithout(...parts) }), lacks: parts })
    const whole = storeContract({ open: () => ({ store: memoryStore() }) })
    expect(cases.length).toBeGreaterThan(whole.length / 2)
    for (const { name, run } of cases) expect([name, await run()]).toEqual([name, undefined])
  })

  test.each([
    ['memory', 'the store to have memory'],
    ['config', 'the store to have configuration'],
    ['blobs', 'the store to have blobs'],
    ['census', 'the store to have census'],
    ['ledger', 'the store to have a ledger'],
  ] as const)('tells a store that lacks %s, and does not say so', async (port, expected) => {
    const open = () => ({ store: storeWithout(port) })
    const declared = new Set(storeContract({ open, lacks: [port] }).map(({ name }) => name))
    const left = storeContract({ open }).filter(({ name }) => !declared.has(name))
    expect(left.length).toBeGreaterThan(1)
    for (const { run } of left) {
      await expect(run()).rejects.toMatchObject({
        code: 'CONTRACT_BROKEN',
        message: expect.stringContaining(expected),
      })
    }
  })
})
