/** What a command reads: stores, recordings, and modules of the user's. Errors name the command. */
import { type AnyAgent, ConfigurationError, type Store } from '../../index.ts'
import { toErrorData } from '../../kit/index.ts'
import { open, readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { recordedInspection, recordedStore } from '../recorded/recorded-store.ts'
import { inspectedStore, type InspectedStore } from '../stored/inspected-store.ts'

const sqliteHeader = 'SQLite format 3\0'
const storyHead = '{"type":"troupe-story"'

/** Opens what a store has sealed. */
export type Seal = (store: Store) => Store

export class CommandSources {
  readonly #command: string

  constructor(command: string) {
    this.#command = command
  }

  /** Rejects with a `ConfigurationError`, and with a `StoreError` for a store that cannot be opened. */
  async open(
    sources: readonly string[],
    agents: readonly AnyAgent[],
    seal: Seal | undefined,
  ): Promise<InspectedStore> {
    const [first = '', ...others] = sources
    const store = await this.store(first, seal, others)
    if (store !== undefined) return inspectedStore({ store, agents, title: titleOf(first) })
    if (seal !== undefined) throw this.#wrong('--sealed is for a store: no recording is sealed.')
    const recordings = await Promise.all(sources.map((path) => readFile(path, 'utf8')))
    return inspectedStore({
      store: await recordedStore(recordings),
      inspection: recordedInspection,
      agents,
      title: sources.map(titleOf).join(', '),
    })
  }

  /** The store of a source; `undefined` for a file that is none. `others`: what is named beside it. */
  async store(
    source: string,
    seal: Seal | undefined,
    others: readonly string[] = [],
  ): Promise<Store | undefined> {
    const isDatabase = isAddress(source)
    if (!isDatabase && !(await this.#startsWith(source, sqliteHeader))) return undefined
    if (others.length > 0) throw this.#wrong('name one store, or any number of recordings.')
    const store = isDatabase
      ? (await import('troupe/postgres').catch(this.#missing('pg'))).postgresStore({
          connectionString: source,
        })
      : (await import('troupe/sqlite')).sqliteStore(source)
    return seal?.(store) ?? store
  }

  /** The text of a story file; `undefined` for any other source. Rejects with a `ConfigurationError` for a story beside others. */
  async story(sources: readonly string[]): Promise<string | undefined> {
    const texts = await Promise.all(
      sources.map(async (path) => (await this.#startsWith(path, storyHead)) && path),
    )
    const [path] = texts.filter((text) => text !== false)
    if (path === undefined) return undefined
    if (sources.length > 1) throw this.#wrong('name one story, and nothing beside it.')
    return readFile(path, 'utf8')
  }

  /** Rejects with a `ConfigurationError` for a module that exports no options of `sealedStore`. */
  async sealing(path: string | undefined): Promise<Seal | undefined> {
    if (path === undefined) return undefined
    const sealing: unknown = Reflect.get(await this.load(path, '--sealed'), 'sealing')
    if (sealing === undefined) throw this.#wrong(`--sealed: "${path}" exports no "sealing".`)
    const { sealedStore } = await import('troupe/sealed')
    return (store) => sealedStore(store, sealing as Parameters<typeof sealedStore>[1])
  }

  /** Rejects with a `ConfigurationError` for a module that cannot be loaded, or that exports no agent. */
  async agents(paths: readonly string[]): Promise<readonly AnyAgent[]> {
    const found = new Set<AnyAgent>()
    for (const path of paths) {
      const exported = Object.values(await this.load(path, '--agents'))
      const agents = exported.flat().filter(isAgent)
      if (agents.length === 0) throw this.#wrong(`--agents: "${path}" exports no agent.`)
      for (const agent of agents) found.add(agent)
    }
    return [...found]
  }

  /** `option`: which named the module; absent: it is an argument. */
  async load(path: string, option?: string): Promise<object> {
    try {
      return (await import(pathToFileURL(resolve(path)).href)) as object
    } catch (cause) {
      const name = option === undefined ? '' : `${option}: `
      throw this.#wrong(`${name}"${path}" cannot be loaded: ${toErrorData(cause).message}`, cause)
    }
  }

  /** Whether a file begins so; the address of a database names none. Rejects with a `ConfigurationError` for an unreadable one. */
  async #startsWith(path: string, head: string): Promise<boolean> {
    if (isAddress(path)) return false
    const unreadable = (error: unknown): never => {
      throw this.#wrong(`"${path}" cannot be read: ${toErrorData(error).message}`)
    }
    const file = await open(path).catch(unreadable)
    try {
      const { length } = head
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0).catch(unreadable)
      return new TextDecoder().decode(buffer.subarray(0, bytesRead)) === head
    } finally {
      await file.close()
    }
  }

  #missing(name: string): (error: unknown) => never {
    return (cause) => {
      throw this.#wrong(`a Postgres database needs the package ${name}: npm install ${name}.`, cause)
    }
  }

  #wrong(what: string, cause?: unknown): ConfigurationError {
    return new ConfigurationError(`${this.#command}: ${what}`, cause === undefined ? {} : { cause })
  }
}

function isAddress(source: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(source)
}

/** The name of a file; of a database its address without the password. */
export function titleOf(source: string): string {
  const url = URL.parse(source)
  return url?.host === undefined || url.host === '' ? basename(source) : `${url.host}${url.pathname}`
}

/** A module exports other things too. */
function isAgent(value: unknown): value is AnyAgent {
  if (value === null || typeof value !== 'object') return false
  return typeof Reflect.get(value, 'id') === 'string' && typeof Reflect.get(value, 'chart') === 'function'
}
