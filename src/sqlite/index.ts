/** A store in one SQLite file, on the `node:sqlite` that comes with Node. */
export { sqliteStore } from './sqlite-store.ts'
export type { SqliteStore, SqliteStoreOptions } from './store-types.ts'
