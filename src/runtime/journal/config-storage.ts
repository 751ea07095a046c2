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

/** Keeps config items: a part of a store. */
export interface ConfigStorage {
  /** In the order in which they were first set. */
  items(kind: string): Promise<readonly ConfigItem[]>
  /** Sets an item; one of the same kind and key is replaced, in its place. */
  set(item: ConfigItem): Promise<void>
  /** An unknown item is ignored. */
  delete(kind: string, key: string): Promise<void>
}
