/** A store for the contract that can be opened again: all that was opened is closed at the end. */
import type { Store } from 'troupe'
import type { OpenStore } from 'troupe/testing'

/** `open`: also called to open the same store again, once it was closed. `end`: called once all are closed. */
export function reopened(open: () => Store, end: () => void = () => undefined): OpenStore {
  const all: Store[] = []
  const openOne = (): Store => {
    const store = open()
    all.push(store)
    return store
  }
  const store = openOne()
  return {
    store,
    async reopen() {
      await store.close?.()
      return openOne()
    },
    async close() {
      for (const one of all) await one.close?.()
      end()
    },
  }
}
