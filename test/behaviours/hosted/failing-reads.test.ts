/** A store that fails for a moment fails no agent: where its thread cannot be read, the run stops and is resumed. */
import { createAgent, createTroupe, memoryStore, StoreError, type Store } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'

function guide() {
  const model = scriptedModel(['Hello.'])
  const agent = createAgent({
    id: 'guide',
    instructions: 'Greet.',
    model,
    memory: { lastMessages: 20, workingMemory: true },
  })
  return { model, agent }
}

const methods = ['messages', 'workingMemory'] as const

/** `error`: what the first call of the method rejects with. */
function failingOnce(method: (typeof methods)[number], error: Error): Store {
  const store = memoryStore()
  let calls = 0
  const memory = new Proxy(store.memory, {
    get: (target, name) =>
      name === method && ++calls === 1
        ? () => Promise.reject(error)
        : (Reflect.get(target, name, target) as unknown),
  })
  return { ...store, memory }
}

const ids = { threadId: 't', resourceId: 'ann' }

test.each(methods)('a failing call of %s stops the run, which goes on when it is resumed', async (method) => {
  const { agent, model } = guide()
  const troupe = createTroupe({
    agents: [agent],
    store: failingOnce(method, new StoreError('The database restarts.')),
  })
  const run = await troupe.start(agent, 'Hi', ids)
  await expect(run.result).rejects.toThrow('The database restarts.')
  expect(model.calls).toHaveLength(0)
  const resumed = await troupe.resume(run.id)
  expect(await resumed.result).toMatchObject({ outcome: 'completed', text: 'Hello.' })
  expect(model.calls).toHaveLength(1)
  await troupe.close()
})

test.each(methods)('a call of %s on a store that is gone fails the agent', async (method) => {
  const { agent } = guide()
  const gone = new StoreError('The database is gone.', { code: 'STORE_GONE' })
  const troupe = createTroupe({ agents: [agent], store: failingOnce(method, gone) })
  const run = await troupe.start(agent, 'Hi', ids)
  expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'STORE_GONE' } })
  await troupe.close()
})

test.each(methods)('a call of %s that throws what cannot be looked at fails the agent', async (method) => {
  const { agent } = guide()
  const { proxy, revoke } = Proxy.revocable(new Error('Gone.'), {})
  revoke()
  const troupe = createTroupe({
    agents: [agent],
    store: failingOnce(method, proxy),
    onError: () => undefined,
  })
  const run = await troupe.start(agent, 'Hi', ids)
  expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'MEMORY_FAILED' } })
  await troupe.close()
})
