/** A checksum for each row: a bit that has flipped on the disk must not read back as other content. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import zlib from 'node:zlib' // by name, an old Node could not load this module, and could not say why

/** The checksum of columns of text, numbers and NULL. No text of ours holds a NUL, so columns stay separate. */
export function checksumOf(...columns: readonly SQLOutputValue[]): number {
  let text = ''
  for (const column of columns) text += `${textOf(column)}\0`
  return zlib.crc32(text)
}

function textOf(column: SQLOutputValue): string {
  return typeof column === 'string' ? column : column === null ? '\u0001' : String(column)
}

/** As `checksumOf(run, seq, entry)`, for many entries of one run. */
export function entryChecksums(run: string): (seq: number, entry: string) => number {
  const ofRun = zlib.crc32(`${run}\0`)
  return (seq, entry) => zlib.crc32(`${seq}\0${entry}\0`, ofRun)
}

/** The same as a function of SQL, for rows that change in place and for files that an older release has written. */
export const checksumFunction = 'troupe_checksum'

export function defineChecksum(sql: DatabaseSync): void {
  sql.function(checksumFunction, { deterministic: true, varargs: true }, checksumOf)
}
