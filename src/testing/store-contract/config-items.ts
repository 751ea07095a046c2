/** Cases about items of configuration. */
import type { ConfigStorage } from '../../runtime/journal/config-storage.ts'
import type { Store } from '../../runtime/journal/store.ts'
import { expectEqual, expectThat } from '../contract/check.ts'
import { awkward } from './entries.ts'
import { plans } from './plan.ts'

function configOf({ config }: Store): ConfigStorage {
  expectThat(config !== undefined, 'the store to have configuration')
  return config
}

export const configPlans = plans(
  'configuration',
  {
    async 'items are listed by kind in the order in which they were first set'({ store, reopen }) {
      const config = configOf(store)
      await config.set({ kind: 'k', key: 'z', value: 1 })
      await config.set({ kind: 'other', key: 'z', value: 'elsewhere' })
      await config.set({ kind: 'k', key: 'a', value: { deep: [null, awkward] } })
      await config.set({ kind: 'k', key: 'z', value: 2 })
      const again = configOf(await reopen())
      expectEqual(
        await again.items('k'),
        [
          { kind: 'k', key: 'z', value: 2 },
          { kind: 'k', key: 'a', value: { deep: [null, awkward] } },
        ],
        'the items',
      )
      expectEqual(await again.items('unknown'), [], 'the items of an unknown kind')
    },

    async 'a deleted item is gone, and comes last when it is set again'({ store }) {
      const config = configOf(store)
      for (const key of ['a', 'b', awkward]) await config.set({ kind: awkward, key, value: null })
      await config.set({ kind: awkward, key: 'a' })
      await config.set({ kind: awkward, key: 'unknown' })
      const keys = async () => (await config.items(awkward)).map(({ key }) => key)
      expectEqual(await keys(), ['b', awkward], 'the keys')
      await config.set({ kind: awkward, key: 'a', value: true })
      expectEqual(await keys(), ['b', awkward, 'a'], 'the keys after it is set again')
    },
  },
  'config',
)
