/** Turns errors of `pg` and of the server into a `StoreError` that names the schema, the fault, and the remedy. */
import { StoreError, type StoreErrorCode } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'

const sentences: Partial<Record<StoreErrorCode, string>> = {
  STORE_BUSY:
    'other transactions have held it up for longer than retryTimeout. Nothing was written: try again.',
  STORE_READ_ONLY:
    'it may only be read. Nothing was written: a store needs the right to write, on a server that is no standby.',
  STORE_FULL: 'there is no room left on the disk of the server. Nothing was kept: make room, then try again.',
  STORE_CANNOT_OPEN: 'the server refuses the connection: check user, password, database and rights.',
  STORE_CORRUPT:
    'the server reports that its data is damaged. Nothing was changed: restore it from a backup.',
  STORE_GONE:
    'its tables are gone: the database was emptied, or another server has taken its place. ' +
    'Nothing was written: restore the database, or connect to the one with the tables.',
  STORE_UNREACHABLE:
    'the server could not be reached for retryTimeout. It is not known whether the last attempt was kept.',
}

/** By SQLSTATE, or by its class. */
const codes: ReadonlyMap<string, StoreErrorCode> = new Map([
  ['08', 'STORE_UNREACHABLE'],
  ['28', 'STORE_CANNOT_OPEN'],
  ['3D000', 'STORE_CANNOT_OPEN'],
  ['25006', 'STORE_READ_ONLY'],
  ['42501', 'STORE_READ_ONLY'],
  // A blob was removed while another transaction began to hold it, or the other way round.
  ['23503', 'STORE_BUSY'],
  // A schema or a table that the store has made or found before.
  ['3F000', 'STORE_GONE'],
  ['42P01', 'STORE_GONE'],
  // A planned statement that the connection does not have, or has twice.
  ['26000', 'STORE_BUSY'],
  ['42P05', 'STORE_BUSY'],
  ['40001', 'STORE_BUSY'],
  ['40P01', 'STORE_BUSY'],
  ['55P03', 'STORE_BUSY'],
  ['57014', 'STORE_BUSY'],
  ['53100', 'STORE_FULL'],
  ['53300', 'STORE_UNREACHABLE'],
  ['57P01', 'STORE_UNREACHABLE'],
  ['57P02', 'STORE_UNREACHABLE'],
  ['57P03', 'STORE_UNREACHABLE'],
  ['57P05', 'STORE_UNREACHABLE'],
  ['XX001', 'STORE_CORRUPT'],
  ['XX002', 'STORE_CORRUPT'],
])

const transient: ReadonlySet<StoreErrorCode> = new Set(['STORE_BUSY', 'STORE_UNREACHABLE'])

/** The error of an attempt that took longer than it may. */
export class AttemptTimeout extends Error {}

export function storeFailure(thrown: unknown, schema: string): StoreError {
  if (thrown instanceof StoreError) return thrown
  const { message } = toErrorData(thrown)
  const code = codeOf(thrown)
  const sentence = code === undefined ? undefined : sentences[code]
  return new StoreError(about(schema, sentence === undefined ? message : `${sentence} (${message})`), {
    cause: thrown,
    ...(code === undefined ? {} : { code }),
  })
}

/** Whether a connection has not kept a planned statement. */
export function isPlanLost(thrown: unknown): boolean {
  return ['26000', '42P05'].includes(sqlStateOf(thrown) ?? '')
}

/** The tables have changed since a connection planned a statement. Else a server lacks a feature, with the same state. */
function isPlanOutgrown(thrown: unknown): boolean {
  return (thrown as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery'
}

/** Whether another attempt may succeed. */
export function isTransient(error: StoreError): boolean {
  return transient.has(error.code)
}

export function corrupt(schema: string, finding: string, cause?: unknown): StoreError {
  return new StoreError(
    about(schema, `it is damaged: ${finding} Nothing was changed: restore it from a backup.`),
    {
      code: 'STORE_CORRUPT',
      ...(cause === undefined ? {} : { cause }),
    },
  )
}

export function closed(schema: string): StoreError {
  return new StoreError(about(schema, 'the store has been closed.'), { code: 'STORE_CLOSED' })
}

export function newer(schema: string, oldest: number, version: number): StoreError {
  return new StoreError(
    about(
      schema,
      `its tables need a release that knows version ${oldest} of them, and this one knows ${version}. ` +
        'Nothing was written: restart this process with a newer release.',
    ),
    { code: 'STORE_NEWER' },
  )
}

export function older(
  schema: string,
  version: number,
  known: { readonly first: number; readonly version: number },
): StoreError {
  return new StoreError(
    about(
      schema,
      `a build before the first release has made its tables (their version is ${version}, this release reads ` +
        `${known.first} to ${known.version}). Nothing was changed: let its runs end with that build, and name another schema.`,
    ),
    { code: 'STORE_OLDER' },
  )
}

export function notUtf8(schema: string, encoding: string): StoreError {
  return new StoreError(
    about(
      schema,
      `the encoding of the database is ${encoding}, which does not keep every text. ` +
        "Nothing was made: use a database with ENCODING 'UTF8'.",
    ),
    { code: 'STORE_ENCODING' },
  )
}

export function foreign(schema: string, cause: unknown): StoreError {
  return new StoreError(
    about(schema, 'the schema holds tables of another program. Nothing was changed: name another schema.'),
    { code: 'STORE_FOREIGN', cause },
  )
}

export function about(schema: string, sentence: string): string {
  return `Postgres store, schema "${schema}": ${sentence}`
}

/** The SQLSTATE of an error of the server; `undefined` for an error from elsewhere. */
export function sqlStateOf(thrown: unknown): string | undefined {
  const { code } = (thrown ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E') ? code : undefined
}

/** An error without a SQLSTATE comes from the connection, unless it is a mistake in the program. */
function codeOf(thrown: unknown): StoreErrorCode | undefined {
  const state = sqlStateOf(thrown)
  if (state === '0A000') return isPlanOutgrown(thrown) ? 'STORE_BUSY' : undefined
  if (state !== undefined) return codes.get(state) ?? codes.get(state.slice(0, 2))
  const isMistake =
    thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError
  return isMistake ? undefined : 'STORE_UNREACHABLE'
}
