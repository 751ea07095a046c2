/** The identity of the file that a database has open: its path may come to name another one, or none. */
import { realpathSync, statSync } from 'node:fs'

interface Identity {
  readonly dev: number
  readonly ino: number
}

export class FileIdentity {
  readonly #file: string
  readonly #log: string
  readonly #fileThen: Identity | undefined
  #logThen: Identity | undefined

  /** `file` has just been opened. */
  constructor(file: string) {
    this.#file = file
    this.#log = `${realpathSync(file)}-wal` // where SQLite puts it
    this.#fileThen = identityOf(file)
    this.#logThen = identityOf(this.#log)
  }

  /** The path of the file that was removed or replaced since; `undefined`: none was. */
  get gone(): string | undefined {
    if (!isSame(identityOf(this.#file), this.#fileThen)) return this.#file
    const log = identityOf(this.#log)
    this.#logThen ??= log // it is made with the first transaction
    return isSame(log, this.#logThen) ? undefined : this.#log
  }
}

function identityOf(path: string): Identity | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function isSame(one: Identity | undefined, other: Identity | undefined): boolean {
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev
}
