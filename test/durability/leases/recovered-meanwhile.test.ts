/** Runs that another troupe takes, or deletes, between the look of a troupe at them and their turn. */
import { memoryStore, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { createTroupeIn } from '../../../src/runtime/troupe/troupe.ts'
import { worker } from '../../support/agents/agents.ts'
import { virtualEnvironment } from '../../support/clocks/virtual-environment.ts'

/** A run without an owner, and two troupes; what `meanwhile` does comes before the first troupe's `call` for the run. */
async function world(call: 'read' | 'renew', meanwhile: (runId: string) => Promise<void>) {
  const memory = memoryStore()
  const environment = virtualEnvironment()
  const hanging = worker('solo', [], { otherwise: { hang: true } }).agent
  const gone = createTroupeIn(virtualEnvironment('gone', environment.clock), {
    agents: [hanging],
    store: memory,
  })
  const { id } = await gone.start(hanging, 'Go')
  await gone.close()
  let isFirst = true
  const before = async (): Promise<void> => {
    if (!isFirst) return
    isFirst = false
    await meanwhile(id)
  }
  const problems: string[] = []
  const store: Store = {
    ...memory,
    claim: async (...given) => {
      const lease = await memory.claim(...given)
      if (call === 'renew') environment.clock.jump(60_000)
      return lease
    },
    read: async (...given) => {
      if (call === 'read') await before()
      return memory.read(...given)
    },
    renew: async (...given) => {
      if (call === 'renew') await before()
      return memory.renew(...given)
    },
  }
  const { agent } = worker('solo', [], { otherwise: 'Done.' })
  const config = {
    agents: [agent],
    store,
    onError: ({ message }: { message: string }) => void problems.push(message),
  }
  return {
    troupe: createTroupeIn(environment, config),
    memory,
    clock: environment.clock,
    agent,
    id,
    problems,
  }
}

test('one that another troupe has taken counts as owned', async () => {
  const elsewhere = virtualEnvironment('elsewhere')
  const { agent: other } = worker('solo', [], { otherwise: { hang: true } })
  const taker = (store: Store) => createTroupeIn(elsewhere, { agents: [other], store })
  let take: () => Promise<unknown> = async () => undefined
  const { troupe, memory, clock, id, problems } = await world('renew', async () => void (await take()))
  const second = taker(memory)
  elsewhere.clock.jump(1_000_000)
  take = () => second.resume(id)
  const recovering = troupe.recover()
  await clock.elapse(10)
  expect(await recovering).toEqual({ runs: [], owned: [id], refused: [], left: [] })
  expect(problems).toEqual([])
  await Promise.all([troupe.close(), second.close()])
})

test('a signal for one that another troupe has taken reaches that troupe', async () => {
  const elsewhere = virtualEnvironment('elsewhere')
  const { agent: other } = worker('solo', [], { otherwise: { hang: true } })
  let take: () => Promise<unknown> = async () => undefined
  const { troupe, memory, clock, id, problems } = await world('renew', async () => void (await take()))
  const second = createTroupeIn(elsewhere, { agents: [other], store: memory })
  elsewhere.clock.jump(1_000_000)
  take = () => second.resume(id)
  const said = troupe.signal(id, { type: 'say', message: 'Be quick.' })
  await clock.elapse(10)
  for (let polls = 0; polls < 3; polls++) {
    await elsewhere.clock.elapse(1_000)
    await clock.elapse(1_000)
  }
  await said
  expect(JSON.stringify(await memory.read(id))).toContain('Be quick.')
  expect(problems).toEqual([])
  await Promise.all([troupe.close(), second.close()])
})

test('one that was brought to its end and deleted is none', async () => {
  const elsewhere = virtualEnvironment('elsewhere')
  let end: (runId: string) => Promise<void> = async () => undefined
  const { troupe, memory, clock, agent, id, problems } = await world('read', (runId) => end(runId))
  const second = createTroupeIn(elsewhere, { agents: [agent], store: memory })
  end = async (runId) => {
    await (
      await second.resume(runId)
    ).result
    await second.delete(runId)
  }
  const recovering = troupe.recover({ every: 1_000 })
  await clock.elapse(10)
  expect(await recovering).toEqual({ runs: [], owned: [], refused: [], left: [] })
  await clock.elapse(2_000)
  expect({ problems, left: await memory.read(id) }).toEqual({ problems: [], left: undefined })
  await Promise.all([troupe.close(), second.close()])
})
