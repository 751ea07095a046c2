/** The store of a place: a SQLite file, or the address of a Postgres database. */
import { postgresStore } from 'troupe/postgres'
import { sqliteStore } from 'troupe/sqlite'

export function storeAt(place: string) {
  return place.startsWith('postgres:') ? postgresStore({ connectionString: place }) : sqliteStore(place)
}
