/** The listeners of a store. Each is told of every change; one that throws is reported, and keeps it from no other. */
import { inContextHere } from '../async-context.ts'
import { settled, type Reporter } from '../report.ts'
import type { StoreListener } from './store.ts'

/** The listeners of the changes of a store. */
export class ChangeListeners {
  readonly #report: Reporter
  readonly #listeners = new Set<{ readonly listener: StoreListener }>()

  constructor(report: Reporter) {
    this.#report = report
  }

  get size(): number {
    return this.#listeners.size
  }

  /** A listener may be added twice, and is called in the async context of its caller. Returns the function that removes it. */
  add(listener: StoreListener): () => void {
    const own = { listener: inContextHere(reportedListener(listener, this.#report)) }
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  clear(): void {
    this.#listeners.clear()
  }

  /** Those that a listener adds are told of the next change. */
  readonly tell: StoreListener = (runId, change) => {
    const told = [...this.#listeners]
    for (const own of told) if (this.#listeners.has(own)) own.listener(runId, change)
  }
}

/** A listener whose errors are reported. */
export function reportedListener(listener: StoreListener, report: Reporter): StoreListener {
  return (runId, change) => {
    const failed = (error: unknown): void => {
      const message = `a listener of the store failed for the run "${runId}"`
      report({ message, code: 'STORE_LISTENER_THREW', where: 'observer', error, runId })
    }
    try {
      settled(listener(runId, change), failed)
    } catch (error) {
      failed(error)
    }
  }
}
