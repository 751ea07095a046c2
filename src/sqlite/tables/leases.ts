/** The leases of runs. Every change is one transaction, so that of two processes one wins. */
import type { Claimed, Lease } from '../../runtime/journal/store.ts'
import { toColumn } from '../connection/column-text.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { isRunWhole, runChecksum } from './run-checksum.ts'
import { runDamage } from './run-damage.ts'

type Returned = Lease & { readonly passivated?: { readonly wakeAt?: number } }

export function leases(database: Database) {
  const passivatedUntil = new Query<{ wake_at: number | null }>(
    database,
    'SELECT wake_at FROM runs WHERE run_id = ? AND parked = 1',
  )
  const take = new Query<{ token: number }>(
    database,
    `UPDATE runs SET owner = ?1, token = token + 1, expires_at = ?2, parked = 0, wake_at = NULL,
       checksum = ${runChecksum({ owner: '?1', token: 'token + 1', expires_at: '?2', parked: '0', wake_at: 'null' })}
     WHERE run_id = ?3 AND (owner = ?1 OR expires_at <= ?4 OR expires_at > ?5) AND ${isRunWhole}
     RETURNING token`,
  )
  const renew = database.prepare(
    `UPDATE runs SET expires_at = ?1, checksum = ${runChecksum({ expires_at: '?1' })}
     WHERE run_id = ?2 AND token = ?3 AND ${isRunWhole}`,
  )
  const release = database.prepare(
    `UPDATE runs SET expires_at = 0, parked = ?1, wake_at = ?2,
       checksum = ${runChecksum({ expires_at: '0', parked: '?1', wake_at: '?2' })}
     WHERE run_id = ?3 AND token = ?4 AND ${isRunWhole}`,
  )
  const damage = runDamage(database)
  const renewed = ({ runId, token }: Lease, expiresAt: number): boolean => {
    if (renew.run(expiresAt, toColumn(runId), token).changes > 0) return true
    damage.assertNone(runId)
    return false
  }
  return {
    claim(
      runId: string,
      owner: string,
      now: number,
      expiresAt: number,
      farthest: number,
    ): Claimed | undefined {
      return database.write(() => {
        const passivated = passivatedUntil.get(toColumn(runId))
        const row = take.get(owner, expiresAt, toColumn(runId), now, farthest)
        if (row === undefined) {
          damage.assertNone(runId)
          return undefined
        }
        const lease = { runId, owner, token: row.token, expiresAt }
        if (passivated === undefined) return lease
        return { ...lease, wasPassivated: passivated.wake_at === null ? {} : { wakeAt: passivated.wake_at } }
      })
    },
    /** Returns the ids of the runs that another owner has taken meanwhile. */
    renew(held: readonly Lease[], expiresAt: number): string[] {
      if (held.length === 0) return []
      return database.write(() =>
        held.filter((lease) => !renewed(lease, expiresAt)).map(({ runId }) => runId),
      )
    },
    release(held: readonly Returned[]): void {
      if (held.length === 0) return
      database.write(() => {
        for (const { runId, token, passivated } of held)
          release.run(passivated === undefined ? 0 : 1, passivated?.wakeAt ?? null, toColumn(runId), token)
      })
    },
  }
}
