/** What tenants have used, and what calls in progress have reserved. */
import type { LedgerGrant, LedgerReservation, LedgerSpending, LedgerSum } from '../../index.ts'
import { ledgerGrant, ledgerSum, toColumn, type LedgerRow } from '../../kit/sql/index.ts'
import type { Connections, Session } from '../connection/connections.ts'
import type { Tables } from '../connection/schema.ts'

export function ledger(connections: Connections, tables: Tables) {
  const { runs, reservations } = tables

  const sumOf = async (
    session: Session,
    tenant: string,
    account: string,
    now: number,
  ): Promise<LedgerSum> => {
    const [row] = await session.query<LedgerRow>(
      `SELECT coalesce(sum(model_calls) FILTER (WHERE is_used), 0)::float8 AS model_calls,
         coalesce(sum(tokens) FILTER (WHERE is_used), 0)::float8 AS tokens,
         coalesce(sum(cost) FILTER (WHERE is_used), 0)::float8 AS cost,
         coalesce(sum(model_calls) FILTER (WHERE NOT is_used), 0)::float8 AS held_calls,
         coalesce(sum(tokens) FILTER (WHERE NOT is_used), 0)::float8 AS held_tokens,
         coalesce(sum(cost) FILTER (WHERE NOT is_used), 0)::float8 AS held_cost
       FROM (
         SELECT model_calls, tokens, cost, true AS is_used FROM ${tables.ledger}
         WHERE tenant = $1::text AND account = $2::text
         UNION ALL
         SELECT held.model_calls, held.tokens, held.cost, false FROM ${reservations} AS held
           JOIN ${runs} AS runs ON runs.run_id = held.run_id AND runs.token = held.token
             AND runs.outcome IS NULL AND runs.expires_at > $3::float8
         WHERE held.tenant = $1::text AND held.account = $2::text
       ) AS sums`,
      [toColumn(tenant), account, now],
    )
    return ledgerSum(account, row)
  }

  /** The rows of the accounts, in one order everywhere: of two calls one waits for the other, and neither for ever. */
  const lock = async (session: Session, tenant: string, accounts: readonly string[]): Promise<void> => {
    const names = JSON.stringify([...new Set(accounts)].toSorted())
    await session.query(
      `INSERT INTO ${tables.ledger} (tenant, account)
       SELECT $1::text, name FROM jsonb_array_elements_text(($2::text)::jsonb) AS given(name) ORDER BY name COLLATE "C"
       ON CONFLICT DO NOTHING`,
      [toColumn(tenant), names],
    )
    await session.query(
      `SELECT 1 FROM ${tables.ledger} WHERE tenant = $1::text
         AND account IN (SELECT jsonb_array_elements_text(($2::text)::jsonb)) ORDER BY account FOR UPDATE`,
      [toColumn(tenant), names],
    )
  }

  /** `token`: that of the reservation; absent: any. */
  const drop = async (
    session: Pick<Session, 'query'>,
    runId: string,
    key: string,
    token?: number,
  ): Promise<void> => {
    await session.query(
      `DELETE FROM ${reservations} WHERE run_id = $1::text AND call = $2::text AND token = coalesce($3::int, token)`,
      [toColumn(runId), toColumn(key), token ?? null],
    )
  }

  return {
    reserve(reservation: LedgerReservation): Promise<LedgerGrant> {
      const { tenant, runId, token, key, amount, accounts, now } = reservation
      return connections.transaction(async (session): Promise<LedgerGrant> => {
        await lock(
          session,
          tenant,
          accounts.map(({ account }) => account),
        )
        const [newest] = await session.query<{ token: number }>(
          `SELECT token FROM ${runs} WHERE run_id = $1::text AND outcome IS NULL`,
          [toColumn(runId)],
        )
        if (newest?.token !== token) return { outcome: 'lost', sums: [] }
        await drop(session, runId, key)
        const sums: LedgerSum[] = []
        for (const { account } of accounts) sums.push(await sumOf(session, tenant, account, now))
        const grant = ledgerGrant(sums, reservation)
        if (grant.outcome !== 'granted') return grant
        for (const { account } of accounts) {
          await session.query(
            `INSERT INTO ${reservations} (run_id, call, account, tenant, token, model_calls, tokens, cost)
             VALUES ($1::text, $2::text, $3::text, $4::text, $5::int, $6::float8, $7::float8, $8::float8)`,
            [
              toColumn(runId),
              toColumn(key),
              account,
              toColumn(tenant),
              token,
              amount.modelCalls,
              amount.tokens,
              amount.cost,
            ],
          )
        }
        return grant
      })
    },
    async releaseReservation(
      runId: string,
      token: number,
      key: string,
      spent: LedgerSpending | undefined,
    ): Promise<void> {
      if (spent === undefined) return drop(connections, runId, key, token)
      const { tenant, accounts, amount } = spent
      await connections.transaction(async (session) => {
        await lock(session, tenant, accounts)
        await drop(session, runId, key, token)
        await session.query(
          `UPDATE ${tables.ledger} SET model_calls = model_calls + $3::float8, tokens = tokens + $4::float8, cost = cost + $5::float8
           WHERE tenant = $1::text AND account IN (SELECT jsonb_array_elements_text(($2::text)::jsonb))`,
          [toColumn(tenant), JSON.stringify(accounts), amount.modelCalls, amount.tokens, amount.cost],
        )
      })
    },
    ledgerSums(tenant: string, accounts: readonly string[], now: number): Promise<LedgerSum[]> {
      return connections.attempt(async (session) => {
        const sums: LedgerSum[] = []
        for (const account of accounts) sums.push(await sumOf(session, tenant, account, now))
        return sums
      })
    },
  }
}
