/** Configuration items, in memory. */
import type { ConfigItem, ConfigStorage } from '../config-storage.ts'

export function memoryConfig(): ConfigStorage {
  const items = new Map<string, ConfigItem>()
  const idOf = (kind: string, key: string): string => JSON.stringify([kind, key])
  return {
    async items(kind) {
      return [...items.values()].filter((item) => item.kind === kind)
    },
    async set({ kind, key, value }) {
      if (value === undefined) items.delete(idOf(kind, key))
      else items.set(idOf(kind, key), { kind, key, value })
    },
  }
}
