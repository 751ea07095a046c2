/** Recovering many runs takes its time: what happens meanwhile, here and elsewhere, is not held up or overlooked. */
import { createTroupe, memoryStore, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'
import { listing } from '../../support/listing.ts'

/** A store with runs that were let go of in their first model call. */
async function left(count: number): Promise<Store> {
  const store = memoryStore()
  const { agent } = worker('solo', [], { otherwise: { hang: true } })
  const troupe = createTroupe({ agents: [agent], store })
  for (let run = 0; run < count; run++) await troupe.start(agent, 'Go')
  await troupe.close()
  return store
}

test('timers fire between two runs, so that the leases of those that are back can be renewed', async () => {
  const store = await left(3)
  let hasFired = false
  const atClaims: boolean[] = []
  const claim: Store['claim'] = (...args) => {
    atClaims.push(hasFired)
    hasFired = false
    setTimeout(() => (hasFired = true))
    return store.claim(...args)
  }
  const { agent } = worker('solo', [], { otherwise: { hang: true } })
  const troupe = createTroupe({ agents: [agent], store: { ...store, claim } })
  const { runs } = await troupe.recover()
  expect(runs).toHaveLength(3)
  expect(atClaims.slice(1)).toEqual([true, true])
  await troupe.close()
})

test('a run that somebody else finishes after the look at the store is not among those that go on', async () => {
  const store = await left(2)
  const then = (await store.list('runs', {})).items
  const first = createTroupe({ agents: [worker('solo', ['Done.', 'Done.']).agent], store })
  const { runs } = await first.recover()
  await Promise.all(runs.map((run) => run.result))

  const second = createTroupe({
    agents: [worker('solo', []).agent],
    store: { ...store, list: async () => ({ items: then }) },
  })
  expect(await second.recover()).toEqual({ runs: [], owned: [], refused: [], left: [] })
  await Promise.all([first.close(), second.close()])
})

test('more runs than a page holds are all found, page by page', async () => {
  const store = await left(230)
  const sizes: number[] = []
  const list = listing(store, 'runs', async (read) => {
    const page = await read()
    sizes.push(page.items.length)
    return page
  })
  const { agent } = worker('solo', [], { otherwise: { hang: true } })
  const troupe = createTroupe({ agents: [agent], store: { ...store, list } })
  const { runs } = await troupe.recover()
  expect(new Set(runs.map(({ id }) => id)).size).toBe(230)
  expect(sizes).toEqual([100, 100, 30])
  await troupe.close()
})
