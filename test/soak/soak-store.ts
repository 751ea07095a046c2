/** The store that the processes of a soak share. */
import type { Store } from 'troupe'
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'

/** Where it is: plain data, for the workers. */
export type StoreAddress = { readonly file: string } | { readonly connectionString: string }

/** Milliseconds for which an operation waits: longer than any hold of a file, and than any restart of a server. */
const patience = 30_000

export function openStore(address: StoreAddress): Store & { close(): Promise<void> } {
  return 'file' in address
    ? sqliteStore(address.file, { busyTimeout: patience })
    : postgresStore({ ...address, retryTimeout: patience })
}
