/**
 * The queued signals of the runs of this troupe. A signal stays in the store until it is in the journal of its run, or
 * is refused; meanwhile it is handed out once, so that no two polls pass it on.
 */
import type { Reporter } from '../report.ts'
import type { Lease, QueuedSignal, RunStore } from '../journal/store.ts'

export class SignalQueue {
  readonly #store: Pick<RunStore, 'append' | 'list'>
  readonly #report: Reporter
  /** The run of each signal that is handed out, by the id of the signal. */
  readonly #inHand = new Map<number, string>()
  /** Signals in hand that have left the store, with the last fetch that may have seen them there; in the order of fetches. */
  readonly #gone = new Map<number, number>()
  /** Signals that were in hand when their run left, with the last fetch before: it may have seen what the run has taken. */
  readonly #left = new Map<number, number>()
  /** The fetches in progress, by number. */
  readonly #fetching = new Set<number>()
  #begun = 0

  constructor(store: Pick<RunStore, 'append' | 'list'>, report: Reporter) {
    this.#store = store
    this.#report = report
  }

  /** Returns the new signals of these runs. */
  async fetch(runIds: readonly string[]): Promise<readonly QueuedSignal[]> {
    // Polls may overlap: a signal that another poll hands out meanwhile is unknown to this one, and not gone.
    const before = new Map(this.#inHand)
    const number = ++this.#begun
    this.#fetching.add(number)
    try {
      const { items: queued } = await this.#store.list('signals', { runIds })
      const fresh = queued.filter(({ id }) => !this.#inHand.has(id) && number > (this.#left.get(id) ?? 0))
      this.#noteGone(before, new Set(runIds), new Set(queued.map(({ id }) => id)))
      this.took(fresh)
      return fresh
    } finally {
      this.#fetching.delete(number)
      this.#forgetOld()
    }
  }

  /** Notes signals that the run has got from the store itself: they are not handed out. */
  took(signals: readonly QueuedSignal[]): void {
    for (const { id, runId } of signals) this.#inHand.set(id, runId)
  }

  #noteGone(
    before: ReadonlyMap<number, string>,
    asked: ReadonlySet<string>,
    waiting: ReadonlySet<number>,
  ): void {
    for (const [id, runId] of before) {
      if (asked.has(runId) && !waiting.has(id) && !this.#gone.has(id)) this.#gone.set(id, this.#begun)
    }
  }

  /** A fetch that began earlier, and is still in progress, may bring a signal that is gone, or whose run has left. */
  #forgetOld(): void {
    const oldest = Math.min(...this.#fetching)
    for (const [id, last] of this.#gone) {
      if (last >= oldest) break
      this.#release(id)
    }
    for (const [id, last] of this.#left) {
      if (last >= oldest) break
      this.#left.delete(id)
    }
  }

  #release(id: number): void {
    this.#inHand.delete(id)
    this.#gone.delete(id)
  }

  /** Removes a signal that the run does not take: its question may be answered again. */
  drop({ id, runId }: QueuedSignal, lease: Lease): void {
    const dropped = async (): Promise<unknown> => this.#store.append([{ runId, lease, queued: id }])
    dropped().catch((error: unknown) => {
      this.#release(id)
      const message = `a signal that the run "${runId}" refused could not be removed from the store`
      this.#report({ message, code: 'SIGNAL_NOT_REMOVED', where: 'store', error, runId })
    })
  }

  /** The next poll hands it out again. */
  putBack({ id }: QueuedSignal): void {
    this.#release(id)
  }

  /** Forgets the signals of a run that has left: those that were handed out and not appended are for its next owner. */
  forget(runId: string): void {
    for (const [id, of] of this.#inHand) if (of === runId) this.#leave(id)
  }

  #leave(id: number): void {
    this.#release(id)
    this.#left.delete(id) // the map is in the order of fetches
    if (this.#fetching.size > 0) this.#left.set(id, this.#begun)
  }
}
