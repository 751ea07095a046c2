/** BEHAVIOUR 59: a trail that goes on with its journal equals one that is made anew, wherever it went on. */
import fc from 'fast-check'
import { createTroupe, memoryStore, RunNotFoundError, type Store } from 'troupe'
import { expect, test } from 'vitest'
import { patterns, seededTeam } from '../../restate/soak/seeded-team.ts'
import { seededRun } from './seeded-run.ts'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

/** A store that shows the first entries of each journal alone, and notes from which entry on it was read. */
function cutStore(whole: Store): Store & { entries: number; readonly reads: number[] } {
  const store = {
    ...whole,
    entries: 1,
    reads: [] as number[],
    async read(runId: string, from = 0) {
      store.reads.push(from)
      return (await whole.read(runId))?.slice(from, store.entries)
    },
  }
  return store
}

test('with the entries that came since, at any cuts of any journal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...patterns),
      fc.nat(3),
      fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
      async (pattern, seed, numbers) => {
        const whole = memoryStore()
        const { troupe, runId } = await seededRun(seed, pattern, whole)
        const { length } = await troupe.journal(runId)
        const cuts = numbers.map((number) => 1 + (number % length)).toSorted((a, b) => a - b)
        const store = cutStore(whole)
        const reader = createTroupe({ agents: [seededTeam(seed, pattern).root], store })
        store.entries = cuts[0] ?? 1
        let trail = await reader.trail(runId)
        for (const cut of [...cuts, length]) {
          store.entries = cut
          const before = { entries: trail.entries, length: trail.length }
          const grown = await trail.more()
          const anew = await reader.trail(runId)
          expect(grown.length).toBe(cut)
          expect(grown.entries).toEqual(anew.entries)
          for (let until = 1; until <= cut; until++) expect(grown.view(until)).toEqual(anew.view(until))
          expect({ entries: trail.entries, length: trail.length }).toEqual(before)
          if (before.length < cut) expect(() => trail.view(cut)).toThrow(/1 to/)
          trail = grown
        }
        await reader.close()
        await troupe.close()
      },
    ),
    { numRuns: 12 },
  )
})

test('it reads from where it ended, also where it is asked twice at once', async () => {
  const whole = memoryStore()
  const { runId, troupe } = await seededRun(0, 'supervisor', whole)
  const { length } = await troupe.journal(runId)
  const store = cutStore(whole)
  const reader = createTroupe({ agents: [seededTeam(0, 'supervisor').root], store })
  store.entries = 3
  const trail = await reader.trail(runId)
  store.entries = length
  const [first, second] = await Promise.all([trail.more(), trail.more()])
  expect(store.reads).toEqual([0, 3, length])
  expect(first.length).toBe(length)
  expect(second.entries).toEqual(first.entries)
})

test('a limit replays a journal piece by piece, and reads it once', async () => {
  const whole = memoryStore()
  const { runId, troupe } = await seededRun(0, 'supervisor', whole)
  const { length, entries, view } = await troupe.trail(runId)
  const store = cutStore(whole)
  store.entries = length
  const reader = createTroupe({ agents: [seededTeam(0, 'supervisor').root], store })
  let trail = await reader.trail(runId, { limit: 2 })
  for (let count = 2; count < length; count = Math.min(count + 2, length)) {
    expect(trail.entries).toEqual(entries.slice(0, count))
    expect(trail.view(count)).toEqual(view(count))
    expect(() => trail.view(count + 1)).toThrow(`from 1 to ${count}`)
    trail = await trail.more()
  }
  expect(trail.entries).toEqual(entries)
  expect(store.reads).toEqual([0])
  expect((await trail.more()).length).toBe(length)
  expect(store.reads).toEqual([0, length])
})

test('an entry that is refused behind a limit is refused again, and none after it is replayed', async () => {
  const whole = memoryStore()
  const { runId } = await seededRun(0, 'supervisor', whole)
  const journal = (await whole.read(runId)) ?? []
  const place = journal.findIndex(({ type }, index) => index > 2 && type === 'effect.settled')
  const changed = journal.map((entry, index) =>
    index === place && entry.type === 'effect.settled' ? { ...entry, key: 'unknown' } : entry,
  )
  const store: Store = { ...whole, read: async (_, from = 0) => changed.slice(from) }
  const reader = createTroupe({ agents: [seededTeam(0, 'supervisor').root], store })
  const trail = await reader.trail(runId, { limit: place - 1 })
  await expect(trail.more()).rejects.toThrow(`Journal entry ${place} `)
  await expect(trail.more()).rejects.toThrow(`Journal entry ${place} `)
})

test('a store that fails is asked again, and a run that was deleted is not found', async () => {
  const whole = memoryStore()
  const { runId, troupe } = await seededRun(1, 'react', whole)
  const { length } = await troupe.journal(runId)
  let failure: Error | undefined
  const store: Store = {
    ...whole,
    read: async (id, from) => {
      if (failure !== undefined) throw failure
      return whole.read(id, from)
    },
  }
  const reader = createTroupe({ agents: [seededTeam(1, 'react').root], store })
  const trail = await reader.trail(runId)
  failure = new Error('The disk is away.')
  await expect(trail.more()).rejects.toThrow('The disk is away.')
  failure = undefined
  expect((await trail.more()).length).toBe(length)
  await reader.delete(runId)
  await expect(trail.more()).rejects.toThrow(RunNotFoundError)
})

test('other instructions are told also where their entry comes later', async () => {
  const team = (instructions: string) => {
    const helper = worker('helper', ['Helped.'], { instructions })
    return lead('boss', [calls(to('helper', 'Help')), 'Done.'], { agents: { helper: helper.agent } }).agent
  }
  const whole = memoryStore()
  const agent = team('Help.')
  const troupe = createTroupe({ agents: [agent], store: whole })
  const run = await troupe.start(agent, 'Go')
  await run.result
  const store = cutStore(whole)
  store.entries = 2
  const trail = await createTroupe({ agents: [team('Help more.')], store }).trail(run.id)
  expect(trail.diverged).toBeUndefined()
  store.entries = 4
  expect((await trail.more()).diverged).toMatchObject({ entry: 2 })
})
