/** The store that the processes of a soak share. */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Store } from 'troupe'
import { postgresStore, type PostgresStore } from 'troupe/postgres'
import { sqliteStore, type SqliteStore } from 'troupe/sqlite'
import { sealed } from '../support/sealing.ts'

/** Where it is: plain data, for the workers. */
export type StoreAddress = ({ readonly file: string } | { readonly connectionString: string }) & {
  /** Its content is sealed. Default: `false`. */
  readonly isSealed?: boolean
}

/** Milliseconds for which an operation waits: longer than any hold of a file, and than any restart of a server. */
const patience = 30_000

export function openStore(address: StoreAddress): Store & { close(): Promise<void> } {
  const store =
    'file' in address
      ? sqliteStore(address.file, { busyTimeout: patience })
      : postgresStore({ connectionString: address.connectionString, retryTimeout: patience })
  return address.isSealed === true ? sealed<SqliteStore | PostgresStore>(store) : store
}

/** How often each run was taken, its start included. */
export interface Tokens extends AsyncDisposable {
  of(runId: string): Promise<number>
}

/** Reads past all that write. */
export async function tokensIn(address: StoreAddress): Promise<Tokens> {
  if ('file' in address) {
    const database = new DatabaseSync(address.file, { readOnly: true })
    const select = database.prepare('SELECT token FROM runs WHERE run_id = ?')
    return {
      of: async (runId) => Number(select.get(runId)?.['token'] ?? 0),
      [Symbol.asyncDispose]: async () => database.close(),
    }
  }
  const pool = new pg.Pool({ connectionString: address.connectionString })
  return {
    async of(runId) {
      const { rows } = await pool.query<{ token: number }>(
        'SELECT token FROM troupe.runs WHERE run_id = $1',
        [runId],
      )
      return rows[0]?.token ?? 0
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
