/** The leases of runs. Every change is one transaction, so that of two processes one wins. */
import type { Claimed, LeaseChange } from '../../index.ts'
import { toColumn, isLeftBy, lapsesWithClaim } from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { changedRun, isRunWhole } from './run-checksum.ts'
import { runDamage } from './run-damage.ts'

const lapses = lapsesWithClaim(':owner')

const claimed = {
  owner: ':owner',
  token: 'token + 1',
  expires_at: ':expiresAt',
  passivated: '0',
  wake_at: 'null',
  lapses,
  lapsed_at: 'entries',
}

/** Only a release passivates a run. */
const renewed = {
  expires_at: ':expiresAt',
  passivated: 'iif(:expiresAt = 0, :passivated, passivated)',
  wake_at: 'iif(:expiresAt = 0, :wakeAt, wake_at)',
}

export function leases(database: Database) {
  const passivatedUntil = new Query<{ wake_at: number | null }>(
    database,
    'SELECT wake_at FROM runs WHERE run_id = ? AND passivated = 1',
  )
  const take = new Query<{ token: number }>(
    database,
    `UPDATE runs SET ${changedRun(claimed)}
     WHERE run_id = :runId AND (owner = :owner OR expires_at <= :now OR expires_at > :farthest)
       AND NOT (:unlessLeft AND ${isLeftBy(':owner')}) AND ${isRunWhole}
     RETURNING token`,
  )
  const change = database.prepare(
    `UPDATE runs SET ${changedRun(renewed)} WHERE run_id = :runId AND token = :token AND ${isRunWhole}`,
  )
  const damage = runDamage(database)
  const isNewest = ({ runId, token, expiresAt, passivated }: LeaseChange): boolean => {
    const wakeAt = passivated?.wakeAt ?? null
    const columns = { expiresAt, passivated: Number(passivated !== undefined), wakeAt }
    if (change.run({ ...columns, runId: toColumn(runId), token }).changes > 0) return true
    if (expiresAt > 0) damage.assertNone(runId)
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
    renew(changes: readonly LeaseChange[]): string[] {
      if (changes.length === 0) return []
      return database.write(() => changes.filter((one) => !isNewest(one)).map(({ runId }) => runId))
    },
  }
}
