/** The leases of runs. Every change is one statement, so that of two processes one wins. */
import type { Claimed, LeaseChange } from '../../index.ts'
import { fromColumn, toColumn, isLeftBy, lapsesWithClaim } from '../../kit/sql/index.ts'
import type { Connections } from '../connection/connections.ts'
import { statement } from '../connection/statement.ts'
import { schemaSteps, type Tables } from '../connection/schema.ts'
import type { Positions } from './positions.ts'

interface ClaimedRow {
  readonly token: number
  readonly entries: number
  readonly was_passivated: boolean
  readonly was_wake_at: number | null
}

const claimed = 'token, entries, was_passivated, was_wake_at'

export function leases(connections: Connections, { meta, runs }: Tables, positions: Positions) {
  /** The rows of the leases, locked in the order of their ids, so that two statements cannot wait for each other. */
  const held = `held AS MATERIALIZED (
    SELECT runs.id, given.* FROM jsonb_to_recordset(($1::text)::jsonb)
      AS given(run_id text, token int, until float8, passivate boolean, wake float8)
    JOIN ${runs} AS runs ON runs.run_id = given.run_id AND runs.token = given.token
    ORDER BY runs.run_id FOR NO KEY UPDATE OF runs)`

  const claimSql = statement(
    `UPDATE ${runs} SET owner = $2::text, token = token + 1, expires_at = $4::float8, passivated = false,
         wake_at = NULL, was_passivated = passivated, was_wake_at = wake_at, claim_id = $6::text,
         lapses = ${lapsesWithClaim('$2::text')}, lapsed_at = entries
       WHERE run_id = $1::text AND (owner = $2::text OR expires_at <= $3::float8 OR expires_at > $5::float8)
         AND claim_id IS DISTINCT FROM $6::text AND NOT ($7::boolean AND ${isLeftBy('$2::text')})
         AND (SELECT oldest FROM ${meta}) <= ${schemaSteps.version}
       RETURNING ${claimed}`,
  )
  const renewSql = statement(
    `WITH ${held} UPDATE ${runs} AS runs SET expires_at = held.until,
       passivated = CASE WHEN held.until = 0 THEN held.passivate ELSE passivated END,
       wake_at = CASE WHEN held.until = 0 THEN held.wake ELSE wake_at END
     FROM held WHERE runs.id = held.id AND runs.token = held.token RETURNING runs.run_id`,
  )

  return {
    async claim(
      runId: string,
      owner: string,
      now: number,
      expiresAt: number,
      farthest: number,
      unlessLeft: boolean,
    ): Promise<Claimed | undefined> {
      const claimId = crypto.randomUUID()
      const row = await connections.attempt(async (session, failed) => {
        const [taken] = await session.query<ClaimedRow>(claimSql, [
          toColumn(runId),
          toColumn(owner),
          now,
          expiresAt,
          farthest,
          claimId,
          unlessLeft,
        ])
        if (taken !== undefined || failed === 0) return taken
        // An attempt whose answer was lost may have taken it.
        const [found] = await session.query<ClaimedRow>(
          `SELECT ${claimed} FROM ${runs} WHERE run_id = $1::text AND claim_id = $2::text`,
          [toColumn(runId), claimId],
        )
        return found
      })
      if (row === undefined) return undefined
      const lease = { runId, owner, token: row.token, expiresAt }
      positions.set(lease, row.entries)
      if (!row.was_passivated) return lease
      return { ...lease, wasPassivated: row.was_wake_at === null ? {} : { wakeAt: row.was_wake_at } }
    },
    /** Only a release passivates a run. Returns the ids of the runs that another owner has taken meanwhile. */
    async renew(changes: readonly LeaseChange[]): Promise<string[]> {
      if (changes.length === 0) return []
      const rows = await connections.query<{ run_id: string }>(renewSql, [rowsOf(changes)])
      for (const { runId, expiresAt } of changes) if (expiresAt === 0) positions.forget(runId)
      const changed = new Set(rows.map(({ run_id }) => fromColumn(run_id)))
      return changes.filter(({ runId }) => !changed.has(runId)).map(({ runId }) => runId)
    },
  }
}

function rowsOf(changes: readonly LeaseChange[]): string {
  return JSON.stringify(
    changes.map(({ runId, token, expiresAt, passivated }) => ({
      run_id: toColumn(runId),
      token,
      until: expiresAt,
      passivate: passivated !== undefined,
      wake: passivated?.wakeAt ?? null,
    })),
  )
}
