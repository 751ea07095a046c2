/** The leases of runs. Every change is one statement, so that of two processes one wins. */
import { fromColumn, toColumn } from '../../runtime/journal/column-text.ts'
import { lapsesUntilLeft, type Claimed, type Lease } from '../../runtime/journal/store.ts'
import type { Connections } from '../connection/connections.ts'
import { schemaSteps, type Tables } from '../connection/schema.ts'
import type { Positions } from './positions.ts'

type Returned = Lease & { readonly passivated?: { readonly wakeAt?: number } }

interface ClaimedRow {
  readonly token: number
  readonly entries: number
  readonly was_passivated: boolean
  readonly was_wake_at: number | null
}

/** The lapses in a row: none since an entry, and none since a release. */
const lapses = 'CASE WHEN lapsed_at = entries AND expires_at > 0 THEN lapses ELSE 0 END'

/** Whether the run is left by all but the owner `$2`. */
const isLeft = `(owner <> $2::text AND outcome IS NULL AND ${lapses} >= ${lapsesUntilLeft})`

const claimed = 'token, entries, was_passivated, was_wake_at'

export function leases(connections: Connections, { meta, runs }: Tables, positions: Positions) {
  /** The rows of the leases, locked in the order of their ids, so that two statements cannot wait for each other. */
  const held = `held AS MATERIALIZED (
    SELECT runs.id, given.* FROM jsonb_to_recordset(($1::text)::jsonb)
      AS given(run_id text, token int, passivated boolean, wake_at float8)
    JOIN ${runs} AS runs ON runs.run_id = given.run_id AND runs.token = given.token
    ORDER BY runs.run_id FOR NO KEY UPDATE OF runs)`

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
        const [taken] = await session.query<ClaimedRow>(
          `UPDATE ${runs} SET owner = $2::text, token = token + 1, expires_at = $4::float8, passivated = false,
             wake_at = NULL, was_passivated = passivated, was_wake_at = wake_at, claim_id = $6::text,
             lapses = ${lapses} + CASE WHEN owner <> $2::text AND expires_at > 0 THEN 1 ELSE 0 END, lapsed_at = entries
           WHERE run_id = $1::text AND (owner = $2::text OR expires_at <= $3::float8 OR expires_at > $5::float8)
             AND claim_id IS DISTINCT FROM $6::text AND NOT ($7::boolean AND ${isLeft})
             AND (SELECT oldest FROM ${meta}) <= ${schemaSteps.version}
           RETURNING ${claimed}`,
          [toColumn(runId), toColumn(owner), now, expiresAt, farthest, claimId, unlessLeft],
        )
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
    /** Returns the ids of the runs that another owner has taken meanwhile. */
    async renew(given: readonly Lease[], expiresAt: number): Promise<string[]> {
      if (given.length === 0) return []
      const rows = await connections.query<{ run_id: string }>(
        `WITH ${held} UPDATE ${runs} AS runs SET expires_at = $2::float8 FROM held
         WHERE runs.id = held.id AND runs.token = held.token RETURNING runs.run_id`,
        [rowsOf(given), expiresAt],
      )
      const renewed = new Set(rows.map(({ run_id }) => fromColumn(run_id)))
      return given.filter(({ runId }) => !renewed.has(runId)).map(({ runId }) => runId)
    },
    async release(given: readonly Returned[]): Promise<void> {
      if (given.length === 0) return
      await connections.query(
        `WITH ${held} UPDATE ${runs} AS runs SET expires_at = 0, passivated = held.passivated, wake_at = held.wake_at
         FROM held WHERE runs.id = held.id AND runs.token = held.token`,
        [rowsOf(given)],
      )
      for (const { runId } of given) positions.forget(runId)
    },
  }
}

function rowsOf(given: readonly Returned[]): string {
  return JSON.stringify(
    given.map(({ runId, token, passivated }) => ({
      run_id: toColumn(runId),
      token,
      passivated: passivated !== undefined,
      wake_at: passivated?.wakeAt ?? null,
    })),
  )
}
