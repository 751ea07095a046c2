/** `Memory`: what an agent remembers of its threads, and where they are kept. */
import { ConfigurationError, memoryStore, type MemoryOptions, type Store } from '../index.ts'
import {
  aBoolean,
  aCount,
  aText,
  anObject,
  anything,
  either,
  type Fields,
  having,
  optional,
  readOptions,
} from '../kit/index.ts'
import { LibSQLStore } from './libsql-store.ts'

/** The options of `Memory`. */
export interface MemoryConfig {
  /** Where threads and journals are kept. Default: that of the `Mastra` which the agent is registered with, else in memory. */
  readonly storage?: LibSQLStore | Store
  /** How much the agent sees of it. Default: the last 20 messages of its thread. */
  readonly options?: {
    /** How many messages of its thread the agent sees; `false`: none. Default: 20. */
    readonly lastMessages?: number | false
    /** A note on the resource that the agent keeps. Default: none. */
    readonly workingMemory?: { readonly enabled: boolean; readonly template?: string }
  }
}

type Options = NonNullable<MemoryConfig['options']>

const noteFields: Fields<NonNullable<Options['workingMemory']>> = {
  enabled: optional(aBoolean),
  template: optional(aText),
}

const optionFields: Fields<Options> = {
  lastMessages: optional(either((given) => given === false, anything, aCount)),
  workingMemory: optional(anObject(noteFields)),
}

/** Reads a storage: a `LibSQLStore`, or a store of `troupe`. */
export const aStorage = either(
  (given) => given instanceof LibSQLStore,
  anything,
  having('a LibSQLStore or a store of troupe', 'append', 'read', 'list', 'claim'),
)

const fields: Fields<MemoryConfig> = {
  storage: optional(aStorage),
  options: optional(anObject(optionFields)),
}

/**
 * The memory of an agent. Throws a `ConfigurationError` for an unknown or wrong option.
 * @experimental
 */
export class Memory {
  readonly storage: LibSQLStore | Store | undefined
  /** As an agent of this library takes them. */
  readonly options: MemoryOptions

  constructor(config: MemoryConfig = {}) {
    const { storage, options = {} } = readOptions(config, 'new Memory', fields)
    const { lastMessages, workingMemory } = options
    this.storage = storage
    this.options = {
      ...(lastMessages === undefined ? {} : { lastMessages: lastMessages === false ? 0 : lastMessages }),
      ...(workingMemory?.enabled !== true ? {} : { workingMemory: noteOf(workingMemory) }),
    }
  }
}

function noteOf({ template }: NonNullable<Options['workingMemory']>): true | { readonly template: string } {
  return template === undefined ? true : { template }
}

/** Throws a `ConfigurationError` for a value that is no `Memory`. */
export function memoryOptionsOf(given: unknown, where: string): MemoryOptions {
  if (given instanceof Memory) return given.options
  throw new ConfigurationError(`${where}: memory must be a Memory.`)
}

export function storeOf(storage: LibSQLStore | Store | undefined): Promise<Store | undefined> {
  return storage instanceof LibSQLStore ? storage.open() : Promise.resolve(storage)
}

const inMemory = new WeakMap<object, Store>()

/** The store in memory of a `Mastra`, a `Memory` or an agent without storage. */
export function storeInMemory(of: object): Store {
  let store = inMemory.get(of)
  if (store === undefined) inMemory.set(of, (store = memoryStore()))
  return store
}
