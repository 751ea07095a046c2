/**
 * Append, then deliver. What the runs of a troupe append within one turn goes to the store as one transaction;
 * nothing is delivered before the store has taken it, and everything is delivered in the order of the journal.
 */
import { StoreError, toErrorData } from '../errors.ts'
import type { JournalEntry, RunStore } from './journal.ts'

/** Who is told that its entry is durable. */
export interface Appender {
  readonly runId: string
  committed(entry: JournalEntry): void
  /** All entries of one transaction are delivered. */
  turnEnded(): void
  /** The store refused, and kept nothing of the transaction; or a delivery threw, by a fault of ours. */
  broke(error: unknown): void
}

interface Append {
  readonly runId: string
  readonly appender: Appender
  readonly entry: JournalEntry
}

export class Committer {
  readonly #store: RunStore
  #waiting: Append[] = []
  #isFlushing = false

  constructor(store: RunStore) {
    this.#store = store
  }

  append(appender: Appender, entry: JournalEntry): void {
    this.#waiting.push({ runId: appender.runId, appender, entry })
    if (this.#isFlushing) return
    this.#isFlushing = true
    queueMicrotask(() => this.#flush())
  }

  #flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    let stored: void | Promise<void>
    try {
      stored = this.#store.append(batch)
    } catch (cause) {
      this.#refuse(batch, cause)
      return
    }
    if (!isThenable(stored)) this.#deliver(batch)
    else {
      Promise.resolve(stored).then(
        () => this.#deliver(batch),
        (cause: unknown) => this.#refuse(batch, cause),
      )
    }
  }

  #deliver(batch: readonly Append[]): void {
    for (const { appender, entry } of batch) guarded(appender, () => appender.committed(entry))
    for (const appender of appendersOf(batch)) guarded(appender, () => appender.turnEnded())
    this.#next()
  }

  #refuse(batch: readonly Append[], cause: unknown): void {
    const error = new StoreError(`The journal could not be written: ${toErrorData(cause).message}`, { cause })
    for (const appender of appendersOf(batch)) guarded(appender, () => appender.broke(error))
    this.#next()
  }

  #next(): void {
    if (this.#waiting.length === 0) this.#isFlushing = false
    else queueMicrotask(() => this.#flush())
  }
}

/** A fault in one run must not stop the others. */
function guarded(appender: Appender, act: () => void): void {
  try {
    act()
  } catch (error) {
    appender.broke(error)
  }
}

/** A store may give back anything that is no promise: `() => list.push(entry)` is one too. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function appendersOf(batch: readonly Append[]): Iterable<Appender> {
  return batch.length === 1
    ? [(batch[0] as Append).appender]
    : new Set(batch.map((append) => append.appender))
}
