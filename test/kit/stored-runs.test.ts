/** The runs of a store for a process that works on none: as a troupe reads them, and without an engine. */
import { expect, test } from 'vitest'
import { createTroupe, memoryStore, type RunEvent, type RunService, type Store } from 'troupe'
import { storedRuns } from 'troupe/kit'
import { notesOf } from 'troupe/kit/wire'
import { office } from '../inspector/support/office.ts'

/** A run that waits for its approval, and the troupe that has it. */
async function waiting(store: Store) {
  const agent = office()
  const troupe = createTroupe({ agents: [agent], store, pollInterval: 20 })
  const run = await troupe.start(agent, 'Pay the bill')
  await run.whenIdle
  return { troupe, run }
}

async function eventsOf(service: RunService, runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of service.watch(runId)) events.push(event)
  return events
}

test('it reads what a troupe reads', async () => {
  const store = memoryStore()
  const { troupe, run } = await waiting(store)
  const stored = storedRuns({ store, agents: [office()] })
  const [question] = (await stored.awaiting()).items
  expect((await troupe.awaiting()).items).toEqual([question])
  await stored.signal(run.id, { type: 'approve', toolCallId: question?.toolCallId ?? '' })
  expect((await run.result).outcome).toBe('completed')
  const reads: readonly ((service: RunService) => unknown)[] = [
    (service) => service.runs({ agent: 'office' }),
    (service) => service.awaiting({ runId: run.id }),
    (service) => service.journal(run.id, { from: 2 }),
    (service) => service.history(run.id),
    (service) => service.charts().map(({ id }) => id),
    async (service) => (await service.replay(run.id)).result,
    async (service) => (await service.trail(run.id, { limit: 4 })).entries.map(({ type, at }) => [type, at]),
    (service) => eventsOf(service, run.id),
  ]
  for (const read of reads) {
    const own = await read(troupe)
    expect(await read(stored)).toEqual(own)
    expect(own).toBeTruthy()
  }
  await stored.close()
  await troupe.close()
})

test('it ends and deletes by force a run that no process works on, and no other', async () => {
  const store = memoryStore()
  const { troupe, run } = await waiting(store)
  const stored = storedRuns({ store })
  const forced = { force: true } as const
  await expect(stored.cancel(run.id, 'Its worker died.', forced)).rejects.toMatchObject({ code: 'RUN_OWNED' })
  await expect(stored.delete(run.id, forced)).rejects.toMatchObject({ code: 'RUN_OWNED' })
  await expect(stored.delete(run.id)).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' })
  await troupe.close()
  await stored.cancel(run.id, 'Its worker died.', forced)
  expect((await stored.journal(run.id)).at(-1)).toMatchObject({ forced: true, reason: 'Its worker died.' })
  const { run: second, troupe: other } = await waiting(store)
  await other.close()
  await stored.delete(second.id, forced)
  await expect(stored.journal(second.id)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await expect(stored.delete('none', forced)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  await stored.close()
})

test('the notes of a run go with it, and only with it', async () => {
  const store = memoryStore()
  const { troupe, run } = await waiting(store)
  const kind = notesOf(run.id)
  await troupe.config.set(kind, 'told', { secret: 'of a client' })
  const stored = storedRuns({ store })
  await expect(stored.delete(run.id)).rejects.toMatchObject({ code: 'RUN_NOT_ENDED' })
  expect(await troupe.config.items(kind)).toHaveLength(1)
  await troupe.close()
  await stored.delete(run.id, { force: true })
  expect(await store.config?.items(kind)).toEqual([])
  await stored.close()
})

test('without the agents it lists, and refuses by name what needs them', async () => {
  const store = memoryStore()
  const { troupe, run } = await waiting(store)
  const stored = storedRuns({ store })
  expect((await stored.runs()).items).toMatchObject([{ runId: run.id, status: 'suspended' }])
  for (const call of [() => stored.replay(run.id), () => stored.trail(run.id)])
    await expect(call()).rejects.toMatchObject({ code: 'AGENT_NOT_HERE' })
  await expect(stored.signal(run.id, { type: 'cancel' })).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    runId: run.id,
    message: expect.stringContaining('Give the agent to createTroupe({ agents })'),
  })
  await troupe.close()
  await stored.close()
})

test('once closed it reads on, tells of nothing more, and signals, ends and deletes nothing', async () => {
  const store = memoryStore()
  const { troupe, run } = await waiting(store)
  const stored = storedRuns({ store, agents: [office()] })
  const told: string[] = []
  stored.subscribe((runId) => told.push(runId))
  const watched = eventsOf(stored, run.id)
  await stored.close()
  await expect(watched).rejects.toMatchObject({ code: 'TROUPE_CLOSED' })
  for (const call of [
    async () => stored.subscribe(() => undefined),
    () => stored.signal(run.id, { type: 'cancel' }),
    () => stored.cancel(run.id),
    () => stored.cancel(run.id, 'Over.', { force: true }),
    () => stored.delete(run.id),
    () => eventsOf(stored, run.id),
  ])
    await expect(call()).rejects.toMatchObject({ code: 'TROUPE_CLOSED' })
  expect((await stored.history(run.id)).length).toBeGreaterThan(0)
  await troupe.cancel(run.id)
  await run.result
  expect(told).toEqual([])
  expect((await store.read(run.id))?.at(-1)).toMatchObject({ outcome: 'cancelled' })
  await troupe.close()
})
