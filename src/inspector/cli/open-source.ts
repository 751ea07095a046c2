/** Opens the store or the recordings that were named on the command line. */
import { open, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { ConfigurationError, toErrorData } from '../../errors.ts'
import type { AnyAgent } from '../../runtime/definition/definition.ts'
import { recordedInspection, recordedStore } from '../recorded/recorded-store.ts'
import { storedRuns, type StoredRuns } from '../stored/stored-runs.ts'

const sqliteHeader = 'SQLite format 3\0'

/** Rejects with a `ConfigurationError`, and with a `StoreError` for a store that cannot be opened. */
export async function openSource(
  sources: readonly string[],
  agents: readonly AnyAgent[],
): Promise<StoredRuns> {
  const [first = '', ...others] = sources
  const title = titleOf(first)
  const isDatabase = /^postgres(?:ql)?:\/\//.test(first)
  if (!isDatabase && !(await isSqlite(first))) {
    const recordings = await Promise.all(sources.map((path) => readFile(path, 'utf8')))
    return storedRuns({
      store: await recordedStore(recordings),
      inspection: recordedInspection,
      agents,
      title: sources.map(titleOf).join(', '),
    })
  }
  if (others.length > 0) throw new ConfigurationError('inspect: name one store, or any number of recordings.')
  if (isDatabase) {
    const { postgresStore } = await import('troupe/postgres').catch(missing('pg'))
    return storedRuns({ store: postgresStore({ connectionString: first }), agents, title })
  }
  const { sqliteStore } = await import('troupe/sqlite')
  return storedRuns({ store: sqliteStore(first), agents, title })
}

async function isSqlite(path: string): Promise<boolean> {
  const file = await open(path).catch((error: unknown): never => {
    throw new ConfigurationError(`inspect: "${path}" cannot be read: ${toErrorData(error).message}`)
  })
  try {
    const { buffer, bytesRead } = await file.read(
      new Uint8Array(sqliteHeader.length),
      0,
      sqliteHeader.length,
      0,
    )
    return new TextDecoder().decode(buffer.subarray(0, bytesRead)) === sqliteHeader
  } finally {
    await file.close()
  }
}

/** The name of a file; of a database its address without the password. */
function titleOf(source: string): string {
  const url = URL.parse(source)
  return url?.host === undefined || url.host === '' ? basename(source) : `${url.host}${url.pathname}`
}

function missing(name: string): (error: unknown) => never {
  return (cause) => {
    throw new ConfigurationError(
      `inspect: a Postgres database needs the package ${name}: npm install ${name}.`,
      {
        cause,
      },
    )
  }
}
