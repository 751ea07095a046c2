/** Items of configuration, sealed as what belongs to no resource. */
import type { ConfigItem, ConfigStorage } from '../index.ts'
import { isRecord, type Whole } from '../kit/index.ts'
import { epochKind } from '../kit/sql/index.ts'
import { sealedIn } from './envelope.ts'
import type { Names } from './names.ts'
import type { Redactor } from './redact.ts'
import type { Seals } from './seals.ts'

export function sealedConfig(
  config: ConfigStorage,
  { seals, names, redact }: { readonly seals: Seals; readonly names: Names; readonly redact: Redactor },
): Whole<ConfigStorage> {
  return {
    async items(kind) {
      if (kind === epochKind) return config.items(kind) // a backup of the store inside changes it too
      const name = names.of('kind', kind)
      const rows = await config.items(name)
      return Promise.all(
        rows.map(async ({ key, value }): Promise<ConfigItem> => {
          const sealed = isRecord(value) ? sealedIn(value) : undefined
          return (await seals.open(sealed, ['config', name, key])) as ConfigItem
        }),
      )
    },
    async set({ kind, key, value }) {
      if (kind === epochKind) return config.set({ kind, key, ...(value === undefined ? {} : { value }) })
      const [name, item] = [names.of('kind', kind), names.of('item', JSON.stringify([kind, key]))]
      if (value === undefined) return config.set({ kind: name, key: item })
      const kept = { kind, key, value: redact.json(value) }
      const sealed = await seals.seal(kept, undefined, ['config', name, item])
      return config.set({ kind: name, key: item, value: { sealed } })
    },
  }
}
