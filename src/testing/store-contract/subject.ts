/** A store under the contract of stores: how a case obtains it. */
import type { Store } from '../../runtime/journal/store.ts'

/**
 * A part of the contract that not every store has: an optional port, or a part of one. `blobRemoval`: `release` of blobs,
 * which go with the last run or thread that names them. `erasure`: what `troupe.eraseResource` needs, which is to find what a
 * run led to, to remove notes and messages of a resource, and to refuse the writes of a run that was deleted. `census`: the
 * numbers of `troupe.stats`. `ledger`: what budgets of tenants need. `schedules`: what `troupe.schedule` needs. `tasks`:
 * the first lines of the tasks in its index, and the search in them.
 */
export type StoreFeature =
  'memory' | 'config' | 'blobs' | 'blobRemoval' | 'erasure' | 'census' | 'ledger' | 'schedules' | 'tasks'

/** A store that a case has opened. */
export interface OpenStore {
  /** New and empty. */
  readonly store: Store
  /** Another store on the same data, opened after the first was closed. Default: the same store, for one in memory. */
  reopen?(): Promise<Store>
  /** Called at the end of the case. */
  close?(): void | Promise<void>
}

/** A store under the contract. */
export interface StoreSubject {
  /** Opens a new, empty store. */
  open(): OpenStore | Promise<OpenStore>
  /** Parts that the store does not have: their cases are left out. Default: none. */
  readonly lacks?: readonly StoreFeature[]
}
