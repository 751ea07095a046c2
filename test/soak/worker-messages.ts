/** What is said between a soak and its worker processes. */
import type { StoreAddress } from './soak-store.ts'

export interface WorkerOptions {
  readonly store: StoreAddress
  readonly folder: string
  /** Milliseconds; see `createTroupe`. */
  readonly leaseTtl: number
  readonly thinking: number
  readonly working: number
}

export type WorkerCommand =
  /** Starts runs until there are so many. For one worker at a time. */
  | { readonly type: 'fill'; readonly runs: number; readonly steps: number }
  | { readonly type: 'start'; readonly job: number; readonly steps: number }

export type WorkerNews =
  | { readonly type: 'open' }
  | { readonly type: 'started'; readonly runId: string; readonly job: number }
  /** Of a run that this worker has started. */
  | { readonly type: 'ended'; readonly runId: string; readonly outcome: string }
  /** Its handle can no longer follow it. */
  | { readonly type: 'lost'; readonly runId: string; readonly code: string }
