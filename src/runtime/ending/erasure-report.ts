/** What is asked of the erasure of a resource, and what it tells. */
import type { LeftWork } from '../../machines/contract/events.ts'

/** The options of `eraseResource`. */
export interface EraseOptions {
  /** Who asks for it. It stands in the report, and nowhere else. */
  readonly by?: string
  /**
   * Milliseconds that runs under way have to end by themselves, once they are cancelled: their tools are aborted, and tasks of
   * other systems are told. Then they are ended by force, in whichever process they are. Default: 10 000.
   */
  readonly deadline?: number
}

/** Something of a resource that an erasure has left, and why. */
export type ErasureLeft =
  /** A task of another system (`remote`), or the call of a tool, which nobody could tell to end. */
  | (LeftWork & { readonly why: 'not-told'; readonly runId: string })
  /** A run of another resource, or of none, that may have read messages of this one in a thread that both used. */
  | {
      readonly kind: 'run'
      readonly why: 'shared-thread'
      readonly runId: string
      readonly threadId: string
    }
  /** A run that is damaged in the store. */
  | { readonly kind: 'run'; readonly why: 'damaged'; readonly runId: string }
  /** A thread that is damaged in the store. */
  | { readonly kind: 'thread'; readonly why: 'damaged'; readonly threadId: string }
  /** The store cannot remove notes, or messages of one resource: the notes are empty, and the messages stay. */
  | { readonly kind: 'notes' | 'messages'; readonly why: 'store-lacks-port' }

/** What an erasure has done. */
export interface Erasure {
  readonly resourceId: string
  readonly by?: string
  /** When it ended: milliseconds since 1970. */
  readonly at: number
  /** What this call has erased. A call that was interrupted has erased the rest. */
  readonly erased: {
    /** Runs, with their forks and the runs within their calls. */
    readonly runs: number
    readonly threads: number
    /** Messages in threads that did not belong to the resource. */
    readonly messages: number
    /** Whether there were notes. */
    readonly notes: boolean
    /** Schedules, of every status. */
    readonly schedules: number
  }
  /** What is left, and why: empty where nothing is. */
  readonly left: readonly ErasureLeft[]
}
