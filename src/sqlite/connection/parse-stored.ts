/** Reads stored rows back; one that is not as it was written is damaged. */
import type { SQLOutputValue } from 'node:sqlite'
import { checksumOf } from './checksum.ts'
import type { Database } from './database.ts'
import { corrupt } from './store-failure.ts'

/** Throws `STORE_CORRUPT` unless `checksum` is that of the columns. `what`: names the row. */
export function assertWhole(
  { file }: Database,
  checksum: unknown,
  columns: readonly SQLOutputValue[],
  what: string,
): void {
  if (checksum === checksumOf(...columns)) return
  throw corrupt(file, `${what} is not what was written (its checksum differs).`)
}

/** JSON, the last of the columns that its checksum covers. */
export function parseStored(
  database: Database,
  checksum: unknown,
  columns: readonly [...SQLOutputValue[], string],
  what: string,
): unknown {
  assertWhole(database, checksum, columns, what)
  const json = columns.at(-1) as string
  try {
    return JSON.parse(json) as unknown
  } catch (error) {
    throw corrupt(database.file, `what is stored as ${what} cannot be read.`, error)
  }
}
