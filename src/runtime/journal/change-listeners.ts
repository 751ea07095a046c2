/** The listeners of a store. Each is told of every change; one that throws is reported, and keeps it from no other. */
import { settled, type Reporter } from '../report.ts'
import type { StoreListener } from './store.ts'

export class ChangeListeners {
  readonly #report: Reporter
  readonly #listeners = new Set<{ readonly listener: StoreListener }>()

  constructor(report: Reporter) {
    this.#report = report
  }

  get size(): number {
    return this.#listeners.size
  }

  /** A listener may be added twice. Returns the function that removes it. */
  add(listener: StoreListener): () => void {
    const own = { listener }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  clear(): void {
    this.#listeners.clear()
  }

  readonly tell: StoreListener = (runId, change) => {
    const failed = (error: unknown): void => {
      this.#report({
        message: `a listener of the store failed for the run "${runId}"`,
        where: 'observer',
        error,
        runId,
      })
    }
    for (const { listener } of this.#listeners) {
      try {
        settled(listener(runId, change), failed)
      } catch (error) {
        failed(error)
      }
    }
  }
}
