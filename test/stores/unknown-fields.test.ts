/** Entries of a later release may have more fields: a run with them goes on, is forked and replays, on every store. */
import { PGlite } from '@electric-sql/pglite'
import { createTool, createTroupe, memoryStore, type JournalEntry, type Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { pglitePool } from '../support/postgres/pglite-pool.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const label = { by: 'a later release', parts: [1, null] }

/** The store as a later release writes it: each entry has a field that this one does not know. */
function labelling(store: Store): Store {
  return {
    ...store,
    append: (appends) =>
      store.append(
        appends.map((append) =>
          append.entry === undefined ? append : { ...append, entry: Object.assign({ label }, append.entry) },
        ),
      ),
  }
}

const isLabelled = (entry: JournalEntry): boolean => JSON.stringify(entry).includes(JSON.stringify(label))

/** `steps`: what its model says before its last words. */
function asking(steps: readonly ReturnType<typeof calls>[]) {
  const ask = createTool({
    id: 'ask',
    description: 'Asks.',
    inputSchema: z.object({}),
    requireApproval: true,
    execute: () => 'yes',
  })
  return worker('asker', steps, { tools: { ask }, otherwise: 'Asked.' }).agent
}

const stores: Readonly<Record<string, (folder: { file(name: string): string }) => Promise<Store>>> = {
  memory: async () => memoryStore(),
  SQLite: async (folder) => sqliteStore(folder.file('runs.db')),
  Postgres: async () => postgresStore({ pool: pglitePool(await PGlite.create()) }),
}

test.each(Object.entries(stores))(
  'in %s',
  async (_name, open) => {
    using folder = temporaryFolder()
    const store = await open(folder)
    const agent = asking([calls({ name: 'ask' })])
    const later = createTroupe({ agents: [agent], store: labelling(store) })
    const begun = await later.start(agent, 'Go')
    expect(await begun.whenIdle).toMatchObject({ outcome: 'suspended' })
    await later.close()
    const waiting = (await store.read(begun.id)) ?? []
    expect(waiting.length).toBeGreaterThan(1)
    expect(waiting.every(isLabelled)).toBe(true)

    const troupe = createTroupe({ agents: [asking([])], store })
    const run = await troupe.resume(begun.id)
    await run.approve('asker/call:1.1')
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Asked.' })
    const journal = await troupe.journal(begun.id)
    expect(journal.slice(0, waiting.length)).toEqual(waiting)
    expect((await troupe.replay(begun.id)).result).toMatchObject({ outcome: 'completed', text: 'Asked.' })

    const fork = await troupe.fork(begun.id, { at: waiting.length })
    await fork.approve('asker/call:1.1')
    expect(await fork.result).toMatchObject({ outcome: 'completed' })
    const forked = await troupe.journal(fork.id)
    expect(forked.slice(0, waiting.length).every(isLabelled)).toBe(true)
    expect((await troupe.replay(fork.id)).result).toMatchObject({ outcome: 'completed' })
    await troupe.close()
    await store.close?.()
  },
  60_000,
)
