/** A clock that was wrong for a while keeps no run from going on. */
import { expect, test } from 'vitest'
import { createTroupe, memoryStore, RunOwnedError, type Store } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { worker } from '../../support/agents/agents.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const year = 365 * 24 * 3_600_000

/** A store as a process sees it whose clock is ahead. */
function datedAhead(store: Store, ahead: number): Store {
  return {
    ...store,
    append: (appends) =>
      store.append(
        appends.map((one) => ({ ...one, lease: { ...one.lease, expiresAt: one.lease.expiresAt + ahead } })),
      ),
    renew: (leases) => {
      const renewed = leases.filter(({ expiresAt }) => expiresAt > 0) // it died: it releases none
      return store.renew(renewed.map((lease) => ({ ...lease, expiresAt: lease.expiresAt + ahead })))
    },
  }
}

test('a run whose lease is dated years ahead is taken; one that may be alive is not', async () => {
  using folder = temporaryFolder()
  for (const store of [memoryStore(), sqliteStore(folder.file('runs.db'))]) {
    for (const ahead of [year, 60_000]) {
      const gate = Promise.withResolvers<void>()
      const first = worker('solo', [{ text: 'Never.', until: gate.promise }])
      const wrong = createTroupe({ agents: [first.agent], store: datedAhead(store, ahead), leaseTtl: 10 })
      const run = await wrong.start(first.agent, 'Go')
      for await (const event of run.events) if (event.type === 'step-start') break
      await wrong.close()
      gate.resolve()
      const second = worker('solo', ['Done.'])
      const troupe = createTroupe({ agents: [second.agent], store })
      if (ahead === year) {
        const { runs } = await troupe.recover()
        expect(runs.map(({ id }) => id)).toEqual([run.id])
        expect(await runs[0]?.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
      } else await expect(troupe.resume(run.id)).rejects.toBeInstanceOf(RunOwnedError)
      await troupe.close()
    }
    await store.close?.()
  }
})
