/** The leases of runs. Every change is one transaction, so that of two processes one wins. */
import { lapsesUntilLeft, type Claimed, type Lease } from '../../runtime/journal/store.ts'
import { toColumn } from '../../runtime/journal/column-text.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { isRunWhole, runChecksum } from './run-checksum.ts'
import { runDamage } from './run-damage.ts'

type Returned = Lease & { readonly passivated?: { readonly wakeAt?: number } }

/** The lapses in a row: none since an entry, and none since a release. */
const lapses = 'iif(lapsed_at = entries AND expires_at > 0, lapses, 0)'

/** The lapses with a claim by `:owner`. */
const lapsesWith = `${lapses} + (owner <> :owner AND expires_at > 0)`

export function leases(database: Database) {
  const passivatedUntil = new Query<{ wake_at: number | null }>(
    database,
    'SELECT wake_at FROM runs WHERE run_id = ? AND passivated = 1',
  )
  const take = new Query<{ token: number }>(
    database,
    `UPDATE runs SET owner = :owner, token = token + 1, expires_at = :expiresAt, passivated = 0, wake_at = NULL,
       lapses = ${lapsesWith}, lapsed_at = entries,
       checksum = ${runChecksum({ owner: ':owner', token: 'token + 1', expires_at: ':expiresAt', passivated: '0', wake_at: 'null', lapses: lapsesWith, lapsed_at: 'entries' })}
     WHERE run_id = :runId AND (owner = :owner OR expires_at <= :now OR expires_at > :farthest)
       AND NOT (:unlessLeft AND owner <> :owner AND outcome IS NULL AND ${lapses} >= ${lapsesUntilLeft})
       AND ${isRunWhole}
     RETURNING token`,
  )
  const renew = database.prepare(
    `UPDATE runs SET expires_at = :expiresAt, checksum = ${runChecksum({ expires_at: ':expiresAt' })}
     WHERE run_id = :runId AND token = :token AND ${isRunWhole}`,
  )
  const release = database.prepare(
    `UPDATE runs SET expires_at = 0, passivated = :passivated, wake_at = :wakeAt,
       checksum = ${runChecksum({ expires_at: '0', passivated: ':passivated', wake_at: ':wakeAt' })}
     WHERE run_id = :runId AND token = :token AND ${isRunWhole}`,
  )
  const damage = runDamage(database)
  const renewed = ({ runId, token }: Lease, expiresAt: number): boolean => {
    if (renew.run({ expiresAt, runId: toColumn(runId), token }).changes > 0) return true
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
      unlessLeft: boolean,
    ): Claimed | undefined {
      return database.write(() => {
        const passivated = passivatedUntil.get(toColumn(runId))
        const row = take.getNamed({
          owner,
          expiresAt,
          runId: toColumn(runId),
          now,
          farthest,
          unlessLeft: Number(unlessLeft),
        })
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
        for (const { runId, token, passivated } of held) {
          const change = { passivated: Number(passivated !== undefined), wakeAt: passivated?.wakeAt ?? null }
          release.run({ ...change, runId: toColumn(runId), token })
        }
      })
    },
  }
}
