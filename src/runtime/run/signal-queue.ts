/**
 * The queued signals of the runs of this troupe. A signal stays in the store until it is in the journal of its run, or
 * is refused; meanwhile it is handed out once, so that no two polls pass it on.
 */
import type { Reporter } from '../report.ts'
import type { QueuedSignal, RunStore } from '../journal/store.ts'

export class SignalQueue {
  readonly #store: Pick<RunStore, 'queuedSignals' | 'dropSignals'>
  readonly #report: Reporter
  /** The run of each signal that is handed out, by the id of the signal. */
  readonly #inHand = new Map<number, string>()

  constructor(store: Pick<RunStore, 'queuedSignals' | 'dropSignals'>, report: Reporter) {
    this.#store = store
    this.#report = report
  }

  /** Returns the new signals of these runs. */
  async fetch(runIds: readonly string[]): Promise<readonly QueuedSignal[]> {
    // Polls may overlap: a signal that another poll hands out meanwhile is unknown to this one, and not gone.
    const before = new Map(this.#inHand)
    const queued = await this.#store.queuedSignals(runIds)
    const fresh = queued.filter(({ id }) => !this.#inHand.has(id))
    this.#forgetAppended(before, new Set(runIds), new Set(queued.map(({ id }) => id)))
    for (const { id, runId } of fresh) this.#inHand.set(id, runId)
    return fresh
  }

  #forgetAppended(
    before: ReadonlyMap<number, string>,
    asked: ReadonlySet<string>,
    waiting: ReadonlySet<number>,
  ): void {
    for (const [id, runId] of before) {
      if (asked.has(runId) && !waiting.has(id)) this.#inHand.delete(id)
    }
  }

  /** Removes a signal that the run does not take: its question may be answered again. */
  drop({ id, runId }: QueuedSignal): void {
    this.#store.dropSignals([id]).catch((error: unknown) => {
      this.#inHand.delete(id)
      const message = `a signal that the run "${runId}" refused could not be removed from the store`
      this.#report({ message, where: 'store', error, runId })
    })
  }

  /** The next poll hands it out again. */
  putBack({ id }: QueuedSignal): void {
    this.#inHand.delete(id)
  }

  /** Forgets the signals of a run that has left: those that were handed out and not appended are for its next owner. */
  forget(runId: string): void {
    for (const [id, of] of this.#inHand) if (of === runId) this.#inHand.delete(id)
  }
}
