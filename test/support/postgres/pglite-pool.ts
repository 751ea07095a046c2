/** A pool on a Postgres that runs in this process (PGlite). It has one session, which one connection at a time uses. */
import type { PGlite } from '@electric-sql/pglite'
import type { PostgresClient, PostgresNotification, PostgresPool } from 'troupe/postgres'
import { queryText } from './query-text.ts'

type Notified = (message: PostgresNotification) => void

export function pglitePool(database: PGlite): PostgresPool {
  let free: Promise<void> = Promise.resolve()

  /** Resolves with the function that frees the session, once it is free. */
  const session = async (): Promise<() => void> => {
    const before = free
    const { promise, resolve } = Promise.withResolvers<void>()
    free = promise
    await before
    return resolve
  }

  return {
    async connect() {
      const release = await session()
      return clientOn(database, release)
    },
    on: () => undefined,
    off: () => undefined,
  }
}

/** A connection that listens frees the session: notifications come without it. */
function clientOn(database: PGlite, release: () => void): PostgresClient {
  const endings: (() => Promise<void>)[] = []
  const listeners = new Set<Notified>()
  const noted = (event: 'error' | 'notification', listener: unknown, change: 'add' | 'delete'): void => {
    if (event === 'notification') listeners[change](listener as Notified)
  }
  return {
    async query(asked, values = []) {
      const text = queryText(asked)
      const channel = /^LISTEN "(.+)"$/.exec(text)?.[1]
      if (channel !== undefined) {
        const notify = (payload: string): void => {
          for (const listener of listeners) listener({ channel, payload })
        }
        endings.push(await database.listen(`"${channel}"`, notify))
        release()
        return { rows: [] }
      }
      if (values.length > 0) return database.query(text, values)
      const results = await database.exec(text)
      return { rows: results.at(-1)?.rows ?? [] }
    },
    release() {
      for (const end of endings.splice(0)) void unlessClosed(database, end)
      release()
    },
    on: (event: 'error' | 'notification', listener: unknown) => noted(event, listener, 'add'),
    off: (event: 'error' | 'notification', listener: unknown) => noted(event, listener, 'delete'),
  }
}

/** A database that was closed meanwhile listens to nothing. */
async function unlessClosed(database: PGlite, end: () => Promise<void>): Promise<void> {
  try {
    await end()
  } catch (error) {
    if (!database.closed) throw error
  }
}
