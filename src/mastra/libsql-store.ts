/** `LibSQLStore`: a file of SQLite. The database is loaded when a run first needs it. */
import { ConfigurationError, type Store } from '../index.ts'
import { aName, type Fields, optional, readOptions, required } from '../kit/index.ts'

/** The options of `LibSQLStore`. */
export interface LibSQLConfig {
  /** A name for people. Default: none. */
  readonly id?: string
  /** `file:` and a path, which begins at the folder of the process unless it is absolute. */
  readonly url: string
}

const fields: Fields<LibSQLConfig> = { id: optional(aName), url: required(aName) }

/**
 * Keeps threads and journals in a file of SQLite. Throws a `ConfigurationError` for a URL that is not of a file.
 * @experimental
 */
export class LibSQLStore {
  readonly id: string | undefined
  readonly url: string
  #store: Promise<Store> | undefined

  constructor(config: LibSQLConfig) {
    const { id, url } = readOptions(config, 'new LibSQLStore', fields)
    this.id = id
    this.url = url
    pathOf(url)
  }

  /** Opens the file at the first call; later calls give the same store. Rejects with a `StoreError`. */
  open(): Promise<Store> {
    this.#store ??= this.#load()
    return this.#store
  }

  async #load(): Promise<Store> {
    try {
      const { sqliteStore } = await import('troupe/sqlite')
      return sqliteStore(pathOf(this.url))
    } catch (error) {
      this.#store = undefined // the next call tries again
      throw error
    }
  }
}

function pathOf(url: string): string {
  const [, host, path = ''] = /^file:(?:\/\/([^/]*)(?=\/))?([^?#]+)$/.exec(url) ?? []
  const isHere = host === undefined || host === '' || host === 'localhost'
  const isFile = path !== '' && path !== ':memory:' && !path.startsWith('//')
  if (isHere && isFile) return decoded(path).replace(/^\/(?=[A-Za-z]:)/, '') // of a drive of Windows
  throw new ConfigurationError(
    `new LibSQLStore: url must be "file:" and a path, not ${JSON.stringify(url)}; without storage a Memory is in memory.`,
  )
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
