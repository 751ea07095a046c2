/** Configuration that may change while a troupe runs: items by kind and key. */
import type { JsonValue } from '../../actors/values/json.ts'

/** An item of configuration. */
export interface ConfigItem {
  /** For example `agent-task-type`. */
  readonly kind: string
  /** Unique in its kind. */
  readonly key: string
  readonly value: JsonValue
}

/** An item to set; without a value the item is removed. */
export type ConfigChange = Pick<ConfigItem, 'kind' | 'key'> & { readonly value?: JsonValue }

/** Keeps config items: an optional port of a store. */
export interface ConfigStorage {
  /** In the order in which they were first set. */
  items(kind: string): Promise<readonly ConfigItem[]>
  /**
   * Sets an item; one of the same kind and key is replaced, in its place. Without a value the item is removed; an unknown one is
   * ignored.
   */
  set(item: ConfigChange): Promise<void>
}
