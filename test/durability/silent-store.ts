/** A store in memory that tells of no change: what another troupe does is in the store alone until the next poll. */
import { memoryStore, type Store } from 'troupe'

export function silentStore(): Store {
  const { subscribe: _none, ...store } = memoryStore()
  return store
}
