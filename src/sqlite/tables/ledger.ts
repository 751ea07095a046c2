/** What tenants have used, and what calls in progress have reserved. */
import type { LedgerGrant, LedgerReservation, LedgerSpending, LedgerSum } from '../../index.ts'
import { ledgerGrant, ledgerSum, toColumn, type LedgerRow } from '../../kit/sql/index.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'

export function ledger(database: Database) {
  const sum = new Query<LedgerRow>(
    database,
    `SELECT coalesce(sum(model_calls) FILTER (WHERE is_used), 0) AS model_calls,
       coalesce(sum(tokens) FILTER (WHERE is_used), 0) AS tokens,
       coalesce(sum(cost) FILTER (WHERE is_used), 0) AS cost,
       coalesce(sum(model_calls) FILTER (WHERE NOT is_used), 0) AS held_calls,
       coalesce(sum(tokens) FILTER (WHERE NOT is_used), 0) AS held_tokens,
       coalesce(sum(cost) FILTER (WHERE NOT is_used), 0) AS held_cost
     FROM (
       SELECT model_calls, tokens, cost, true AS is_used FROM ledger WHERE tenant = :tenant AND account = :account
       UNION ALL
       SELECT held.model_calls, held.tokens, held.cost, false FROM reservations AS held
         JOIN runs ON runs.run_id = held.run_id AND runs.token = held.token
           AND runs.outcome IS NULL AND runs.expires_at > :now
       WHERE held.tenant = :tenant AND held.account = :account
     )`,
  )
  const newest = new Query<{ token: number }>(
    database,
    'SELECT token FROM runs WHERE run_id = ? AND outcome IS NULL',
  )
  const hold = database.prepare(
    `INSERT INTO reservations (run_id, call, account, tenant, token, model_calls, tokens, cost)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const drop = database.prepare('DELETE FROM reservations WHERE run_id = ? AND call = ?')
  const release = database.prepare('DELETE FROM reservations WHERE run_id = ? AND call = ? AND token = ?')
  const entries = ledgerEntries(database)
  const sumOf = (tenant: string, account: string, now: number): LedgerSum =>
    ledgerSum(account, sum.getNamed({ tenant: toColumn(tenant), account, now }))
  return {
    reserve(reservation: LedgerReservation): LedgerGrant {
      const { tenant, runId, token, key, amount, accounts, now } = reservation
      return database.write(() => {
        const run = toColumn(runId)
        if (newest.get(run)?.token !== token) return { outcome: 'lost', sums: [] }
        drop.run(run, toColumn(key)) // of an earlier attempt, or of an earlier lease
        const grant = ledgerGrant(
          accounts.map(({ account }) => sumOf(tenant, account, now)),
          reservation,
        )
        if (grant.outcome !== 'granted') return grant
        const { modelCalls, tokens, cost } = amount
        for (const { account } of accounts)
          hold.run(run, toColumn(key), account, toColumn(tenant), token, modelCalls, tokens, cost)
        return grant
      })
    },
    releaseReservation(runId: string, token: number, key: string, spent: LedgerSpending | undefined): void {
      database.write(() => {
        release.run(toColumn(runId), toColumn(key), token)
        if (spent !== undefined) entries.spend(runId, [spent])
      })
    },
    ledgerSums(tenant: string, accounts: readonly string[], now: number): LedgerSum[] {
      return accounts.map((account) => sumOf(tenant, account, now))
    },
  }
}

/** What an append does in the ledger, within its transaction. */
export function ledgerEntries(database: Database) {
  const spend = database.prepare(
    `INSERT INTO ledger (tenant, account, model_calls, tokens, cost) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tenant, account) DO UPDATE SET model_calls = model_calls + excluded.model_calls,
       tokens = tokens + excluded.tokens, cost = cost + excluded.cost`,
  )
  const drop = database.prepare('DELETE FROM reservations WHERE run_id = ? AND call = ?')
  const dropAll = database.prepare('DELETE FROM reservations WHERE run_id = ?')
  return {
    spend(runId: string, spendings: readonly LedgerSpending[]): void {
      for (const { tenant, key, accounts, amount } of spendings) {
        drop.run(toColumn(runId), toColumn(key))
        const { modelCalls, tokens, cost } = amount
        for (const account of accounts) spend.run(toColumn(tenant), account, modelCalls, tokens, cost)
      }
    },
    ended(runId: string): void {
      dropAll.run(toColumn(runId))
    },
  }
}
