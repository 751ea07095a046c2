/** The config items of a troupe, which can be read and changed while the troupe runs. */
import { isRecord, type JsonValue } from '../../actors/values/json.ts'
import { toJsonValue } from '../../actors/values/to-json.ts'
import { ConfigurationError } from '../../errors.ts'
import { configNeeded } from '../missing-port.ts'
import type { ConfigItem, ConfigStorage } from '../journal/config-storage.ts'
import { patternKind } from '../../actors/task-types.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import { holdAgainst, validateItem } from '../definition/validate-task-types.ts'

/** The config items of a troupe, which may change while it runs. */
export interface TroupeConfiguration {
  /** Lists the items of a kind, in the order in which they were first set. */
  items(kind: string): Promise<readonly ConfigItem[]>
  /**
   * Sets an item; runs that begin to choose from then on see it.
   * Rejects with a `ConfigurationError` for an `agent-task-type` or `agent-pattern` of another shape, and, in a troupe with a
   * meta-router, for a pattern that neither an agent nor the configuration has and for a cap that its agent does not have.
   * Rejects with a `TerminalError` (`NOT_SERIALISABLE`) for a value that cannot be written as JSON.
   */
  set(kind: string, key: string, value: JsonValue): Promise<void>
  /** Deletes an item, for runs that begin to choose from then on. An item that does not exist is no error. */
  delete(kind: string, key: string): Promise<void>
  /** Sets all items of `{ kind: { key: value } }`, for example of a JSON file; sets none when one is wrong. */
  load(items: unknown): Promise<void>
}

/**
 * `storage`: `undefined` where the store has no configuration. Each call then rejects with a `ConfigurationError`. Items are held
 * against the agents of the registry.
 */
export function troupeConfiguration(
  storage: ConfigStorage | undefined,
  registry: AgentRegistry,
): TroupeConfiguration {
  const check = async (store: ConfigStorage, items: readonly ConfigItem[]): Promise<void> => {
    for (const { kind, key, value } of items) validateItem(kind, key, value)
    const configured = await store.items(patternKind)
    const patterns = [...configured, ...items.filter(({ kind }) => kind === patternKind)].map(
      ({ key }) => key,
    )
    const agents = [...registry.keys()].flatMap((id) => registry.versionsOf(id))
    for (const item of items) holdAgainst(agents, item, patterns)
  }
  const known = (): ConfigStorage => {
    if (storage === undefined) throw configNeeded()
    return storage
  }
  return {
    items: async (kind) => known().items(kind),
    async set(kind, key, value) {
      const store = known()
      validateItem(kind, key, value)
      const item = { kind, key, value: toJsonValue(value, `The item "${key}"`) }
      await check(store, [item])
      await store.set(item)
    },
    delete: async (kind, key) => known().set({ kind, key }),
    async load(items) {
      const store = known()
      const list = itemsOf(items)
      await check(store, list)
      for (const item of list) await store.set(item)
    },
  }
}

function itemsOf(items: unknown): ConfigItem[] {
  if (!isRecord(items)) throw new ConfigurationError('config.load: expected { kind: { key: value } }.')
  return Object.entries(items).flatMap(([kind, ofKind]) => {
    if (!isRecord(ofKind))
      throw new ConfigurationError(`config.load: ${kind} must be an object of items by key.`)
    return Object.entries(ofKind).map(([key, value]) => ({
      kind,
      key,
      value: toJsonValue(value, `The item "${key}"`),
    }))
  })
}
