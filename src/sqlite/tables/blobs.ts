/** The bytes of files. */
import { sha256 } from '../../actors/values/sha256.ts'
import type { Database } from '../connection/database.ts'
import { Query } from '../connection/query.ts'
import { corrupt } from '../connection/store-failure.ts'

export function blobs(database: Database) {
  const select = new Query<{ bytes: Uint8Array }>(database, 'SELECT bytes FROM blobs WHERE ref = ?')
  const insert = database.prepare('INSERT INTO blobs (ref, bytes) VALUES (?, ?) ON CONFLICT (ref) DO NOTHING')
  return {
    blob(ref: string): Uint8Array | undefined {
      const row = select.get(ref)
      if (row === undefined) return undefined
      if (sha256(row.bytes) !== ref) throw corrupt(database.file, `the blob ${ref} has other bytes.`)
      return row.bytes
    },
    putBlob(ref: string, bytes: Uint8Array): void {
      database.write(() => insert.run(ref, bytes))
    },
  }
}
