/** A store in a Postgres database, on the package `pg`. */
export { postgresStore } from './postgres-store.ts'
export type { PostgresClient, PostgresNotification, PostgresPool, PreparedQuery } from './connection/pool.ts'
export type { PostgresStore, PostgresStoreOptions } from './store-types.ts'
