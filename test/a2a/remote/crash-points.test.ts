/** A run with an agent that another system serves, cut at every append and every request: the system has one task of it. */
import { memoryStore, type AnyAgent, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { finish, hastyClock } from '../../durability/crashes/crash-sweep.ts'
import { MortalWorld } from '../../durability/crashes/mortal-world.ts'
import { calls, lead, to } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { partnerWith, standingFor, type Partner } from './partner.ts'
import { guardedCashier } from './paying.ts'

/** The requests of a process end with it. */
function deskIn(world: MortalWorld, partner: Partner): AnyAgent {
  const fetch: Partner['fetch'] = (...request) => world.effect('request', () => partner.fetch(...request))
  return lead('desk', [], {
    agents: { partner: standingFor({ fetch }) },
    otherwise: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'It is paid.' : calls(to('partner', 'Pay back.')),
  }).agent
}

/** One process: it begins the run, or goes on with it. `undefined`: it has died before the end. */
async function live(world: MortalWorld, partner: Partner, store: Store, processes: number) {
  const desk = deskIn(world, partner)
  const troupe = createTroupeIn(world.environment(), {
    agents: [desk],
    store: world.store(store),
    clock: hastyClock(1_000 + 10_000 * processes),
    passivateAfter: Number.POSITIVE_INFINITY,
  })
  const going = (async () => {
    const [recovered] = (await troupe.recover()).runs
    if (recovered !== undefined) return finish(recovered)
    const [ended] = (await troupe.runs()).items
    return finish(ended === undefined ? await troupe.start(desk, 'Go') : await troupe.resume(ended.runId))
  })()
  const finished = await Promise.race([going, world.died.then(() => undefined)])
  if (world.isDead) return undefined
  await troupe.close()
  return finished?.result
}

const ended = {
  outcome: 'completed',
  text: 'It is paid.',
  delegations: [{ agent: 'partner', outcome: 'succeeded', text: '20 euros are on their way' }],
}

async function points(): Promise<number> {
  const world = new MortalWorld()
  expect(await live(world, partnerWith(guardedCashier().agent), memoryStore(), 0)).toMatchObject(ended)
  return world.points
}

/** A store for each process, on the same data. */
interface Data extends Disposable {
  open(): Store
}

const media: Readonly<Record<string, () => Data>> = {
  memory: () => {
    const store = memoryStore()
    return { open: () => store, [Symbol.dispose]: () => undefined }
  },
  SQLite: () => {
    const folder = temporaryFolder()
    return {
      open: () => sqliteStore(folder.file('runs.db')),
      [Symbol.dispose]: () => folder[Symbol.dispose](),
    }
  },
}

test.each(Object.entries(media))('is cut at every point, and the system works once: %s', async (_, open) => {
  const last = await points()
  expect(last).toBeGreaterThan(30)
  for (let point = 1; point <= last; point++) {
    using data = open()
    const { agent, paid } = guardedCashier()
    const partner = partnerWith(agent)
    const cut = await live(new MortalWorld(point), partner, data.open(), 0)
    const result = cut ?? (await live(new MortalWorld(), partner, data.open(), 1))
    const { items } = await partner.troupe.runs()
    const found = { point, tasks: items.length, paid: paid(), result }
    expect(found).toMatchObject({ point, tasks: 1, paid: 1, result: ended })
    await partner.troupe.close()
  }
})

test('the system dies with its client at every point, and the task goes on in both', async () => {
  const last = await points()
  for (let point = 1; point <= last; point++) {
    const { agent, paid } = guardedCashier()
    const there = { store: memoryStore() }
    const first = partnerWith(agent, there)
    const store = memoryStore()
    const cut = await live(new MortalWorld(point), first, store, 0)
    await first.troupe.close()
    const second = partnerWith(agent, there)
    void second.troupe.recover({ every: 5 }).catch(() => undefined) // it was closed before
    const result = cut ?? (await live(new MortalWorld(), second, store, 1))
    const { items } = await second.troupe.runs()
    expect({ point, tasks: items.length, paid: paid(), result }).toMatchObject({
      point,
      tasks: 1,
      paid: 1,
      result: ended,
    })
    await second.troupe.close()
  }
})
