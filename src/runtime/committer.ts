/**
 * Append, then deliver. What the runs of a troupe append within one turn goes to the store as one transaction;
 * nothing is delivered before the store has taken it, and everything is delivered in the order of the journal.
 */
import { LeaseLostError, StoreError, toErrorData } from '../errors.ts'
import type { JournalEntry } from './journal.ts'
import type { AppendReport, JournalAppend, Lease, RunStore } from './store.ts'

/** Who is told that its entry is durable. */
export interface Appender {
  /** The right to append. */
  readonly lease: Lease
  committed(entry: JournalEntry): void
  /** All entries of one transaction are delivered. */
  turnEnded(): void
  /** The store refused, or another has taken the run, and nothing of it was kept; or a delivery threw, by a fault of ours. */
  broke(error: unknown): void
}

/** Is told what became of one entry. */
export interface Receipt {
  /** It is durable. */
  kept(): void
  /** It is not, and never will be. */
  refused(error: unknown): void
}

export interface AppendOptions {
  /** The id of what was posted, when the entry comes from that. */
  readonly post?: number
  readonly receipt?: Receipt
}

interface Append extends JournalAppend {
  readonly appender: Appender
  readonly receipt: Receipt | undefined
}

export class Committer {
  readonly #store: Pick<RunStore, 'append' | 'schedule'>
  #waiting: Append[] = []
  #isFlushing = false
  #flushed: PromiseWithResolvers<void> | undefined

  constructor(store: Pick<RunStore, 'append' | 'schedule'>) {
    this.#store = store
  }

  append(appender: Appender, entry: JournalEntry, { post, receipt }: AppendOptions = {}): void {
    const { lease } = appender
    const append = { runId: lease.runId, appender, entry, lease, receipt }
    this.#waiting.push(post === undefined ? append : { ...append, post })
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#schedule()
  }

  #schedule(): void {
    const flush = (): void => this.#flush()
    if (this.#store.schedule === undefined) queueMicrotask(flush)
    else this.#store.schedule(flush)
  }

  /** When everything that was appended so far is delivered. */
  async flushed(): Promise<void> {
    if (!this.#isFlushing) return
    this.#flushed ??= Promise.withResolvers()
    return this.#flushed.promise
  }

  #flush(): void {
    const batch = this.#waiting
    this.#waiting = []
    let stored: AppendReport | void | Promise<AppendReport | void>
    try {
      stored = this.#store.append(batch)
    } catch (cause) {
      this.#refuse(batch, cause)
      return
    }
    if (!isThenable(stored)) this.#deliver(batch, stored)
    else {
      Promise.resolve(stored).then(
        (report) => this.#deliver(batch, report),
        (cause: unknown) => this.#refuse(batch, cause),
      )
    }
  }

  #deliver(taken: readonly Append[], report: AppendReport | void): void {
    const lost = new Set(lostOf(report))
    const batch = lost.size === 0 ? taken : taken.filter(({ runId }) => !lost.has(runId))
    for (const { appender, entry, receipt } of batch) {
      guarded(appender, () => appender.committed(entry))
      receipt?.kept()
    }
    for (const appender of appendersOf(batch)) guarded(appender, () => appender.turnEnded())
    for (const appender of appendersOf(taken)) {
      const { runId } = appender.lease
      if (lost.has(runId)) appender.broke(new LeaseLostError(runId))
    }
    for (const { runId, receipt } of taken) if (lost.has(runId)) receipt?.refused(new LeaseLostError(runId))
    this.#next()
  }

  #refuse(batch: readonly Append[], cause: unknown): void {
    const error = new StoreError(`The journal could not be written: ${toErrorData(cause).message}`, {
      cause,
      ...(cause instanceof StoreError ? { code: cause.code } : {}),
    })
    for (const appender of appendersOf(batch)) guarded(appender, () => appender.broke(error))
    for (const { receipt } of batch) receipt?.refused(error)
    this.#next()
  }

  #next(): void {
    if (this.#waiting.length === 0) {
      this.#isFlushing = false
      this.#flushed?.resolve()
      this.#flushed = undefined
    } else this.#schedule()
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

/** A store may give back anything: `() => list.push(entry)` is one too. */
export function lostOf(report: unknown): readonly string[] {
  const lost: unknown = (report as { readonly lost?: unknown } | null | undefined)?.lost
  return Array.isArray(lost) ? (lost as readonly string[]) : []
}

/** A store may give back anything that is no promise. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function appendersOf(batch: readonly Append[]): Iterable<Appender> {
  return batch.length === 1
    ? [(batch[0] as Append).appender]
    : new Set(batch.map((append) => append.appender))
}
