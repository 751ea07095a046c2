/** Behaviour 69: watches of a store that does not answer, or that cannot tell of changes. */
import { createTroupe, memoryStore, type Problem, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'
import { allOf } from '../../support/all-of.ts'

async function ended() {
  const store = memoryStore()
  const { agent } = worker('solo', ['Done.'])
  const troupe = createTroupe({ agents: [agent], store })
  const run = await troupe.start(agent, 'Go')
  await run.result
  await troupe.close()
  return { store, agent, runId: run.id }
}

test('a read that never settles holds up no close', async () => {
  const { store, agent, runId } = await ended()
  const asked = Promise.withResolvers<void>()
  const silent: Store = {
    ...store,
    read() {
      asked.resolve()
      return new Promise(() => undefined)
    },
  }
  const troupe = createTroupe({ agents: [agent], store: silent })
  const watch = troupe.watch(runId)
  const events = allOf(watch)
  await asked.promise
  const { ready } = watch
  await troupe.close()
  await expect(events).rejects.toMatchObject({ code: 'TROUPE_CLOSED', runId })
  await expect(ready).rejects.toMatchObject({ code: 'TROUPE_CLOSED', runId })
})

test('a read that fails after the close is no error of its own', async () => {
  const { store, agent, runId } = await ended()
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<undefined>()
  const problems: Problem[] = []
  const slow: Store = {
    ...store,
    read() {
      asked.resolve()
      return answer.promise
    },
  }
  const troupe = createTroupe({ agents: [agent], store: slow, onError: (problem) => problems.push(problem) })
  const events = allOf(troupe.watch(runId))
  await asked.promise
  await troupe.close()
  await expect(events).rejects.toMatchObject({ code: 'TROUPE_CLOSED' })
  answer.reject(new Error('The store was closed.'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(problems).toEqual([])
})

const failing = {
  throws: () => {
    throw new Error('no listening')
  },
  rejects: () => Promise.reject(new Error('no listening')),
} as const

test.each(['throws', 'rejects'] as const)(
  'a subscription that %s is reported, and the store is polled',
  async (way) => {
    const { store, agent, runId } = await ended()
    const problems: Problem[] = []
    const deaf = { ...store, subscribe: failing[way] as never } satisfies Store
    const troupe = createTroupe({
      agents: [agent],
      store: deaf,
      onError: (problem) => problems.push(problem),
    })
    expect((await allOf(troupe.watch(runId))).at(-1)).toMatchObject({ final: true })
    await troupe.close()
    expect(problems).toMatchObject([{ where: 'store', error: { message: 'no listening' } }])
  },
)
