/** Turns errors of SQLite into a `StoreError` that names the file, the fault, and the remedy. */
import { StoreError, type StoreErrorCode } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'

const restore = 'Nothing was changed: restore it from a copy, together with its -wal file if there is one.'

const sentences: Partial<Record<StoreErrorCode, string>> = {
  STORE_BUSY:
    'another process has kept it locked for longer than busyTimeout. Nothing was written: try again.',
  STORE_READ_ONLY:
    'it may only be read. Nothing was written: a store needs the right to write to the file and its folder.',
  STORE_FULL:
    'there is no room left on its disk, or it may not grow. Nothing of this was kept: make room, then try again.',
  STORE_CANNOT_OPEN:
    'it cannot be opened. Expected a file, or the place for one, in a folder that exists and may be written to.',
  STORE_CORRUPT: `it is damaged, or no SQLite database. ${restore}`,
}

const cannotOpen = 14

/** The primary result codes of SQLite that have a code of ours. */
const codes = new Map<number, StoreErrorCode>([
  [5, 'STORE_BUSY'],
  [6, 'STORE_BUSY'],
  [8, 'STORE_READ_ONLY'],
  [11, 'STORE_CORRUPT'],
  [13, 'STORE_FULL'],
  [cannotOpen, 'STORE_CANNOT_OPEN'],
  [26, 'STORE_CORRUPT'],
])

export function storeFailure(thrown: unknown, file: string): StoreError {
  if (thrown instanceof StoreError) return thrown
  const { message } = toErrorData(thrown)
  const code = codes.get(resultCodeOf(thrown))
  const sentence = code === undefined ? undefined : sentences[code]
  return new StoreError(about(file, sentence === undefined ? message : `${sentence} (${message})`), {
    cause: thrown,
    ...(code === undefined ? {} : { code }),
  })
}

/** The error for a finding of ours that the data on disk is damaged. */
export function corrupt(file: string, finding: string, cause?: unknown): StoreError {
  return new StoreError(about(file, `it is damaged: ${finding} ${restore}`), {
    code: 'STORE_CORRUPT',
    ...(cause === undefined ? {} : { cause }),
  })
}

export function closed(file: string): StoreError {
  return new StoreError(about(file, 'the store has been closed.'), { code: 'STORE_CLOSED' })
}

/** The error for an open file that was removed or replaced. */
export function fileGone(file: string, path: string): StoreError {
  return new StoreError(
    about(
      file,
      `"${path}" has been removed or replaced while it was open, and what was written last is not in it. ` +
        'Put the files back as they were, or open the store anew.',
    ),
    { code: 'STORE_GONE' },
  )
}

export function about(file: string, sentence: string): string {
  return `SQLite store "${file}": ${sentence}`
}

/** The primary result code, without the higher bits of SQLite's extended codes; 0 for an error from elsewhere. */
function resultCodeOf(thrown: unknown): number {
  const { errcode, syscall } = (thrown ?? {}) as { readonly errcode?: unknown; readonly syscall?: unknown }
  if (typeof syscall === 'string') return cannotOpen // Node could not look at the file
  return typeof errcode === 'number' ? errcode & 0xff : 0
}

export function isBusy(thrown: unknown): boolean {
  return codes.get(resultCodeOf(thrown)) === 'STORE_BUSY'
}

/** Whether SQLite refused the statement itself, for example one that makes no sense at this point. */
export function isSqlError(thrown: unknown): boolean {
  return resultCodeOf(thrown) === 1
}
