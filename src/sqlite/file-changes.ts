/** Tells of the changes that the stores of this process make to one database file. */
import type { StoreListener } from '../index.ts'
import { ChangeListeners, soon, type Reporter } from '../kit/index.ts'
import { realpathSync } from 'node:fs'

/** The stores that have listeners, by the path of their file. */
const listening = new Map<string, Set<ChangeListeners>>()

/** The part of one store. */
export class FileChanges {
  readonly #file: string
  readonly #listeners: ChangeListeners

  /** `file` is there. */
  constructor(file: string, report: Reporter) {
    this.#file = realpathSync(file)
    this.#listeners = new ChangeListeners(report)
  }

  /** The listener is called after each change of any store of this file. Returns the function that removes it. */
  subscribe(listener: StoreListener): () => void {
    const stores = listening.get(this.#file) ?? new Set()
    listening.set(this.#file, stores.add(this.#listeners))
    const remove = this.#listeners.add(listener)
    return () => {
      remove()
      if (this.#listeners.size === 0) this.#leave()
    }
  }

  /** Calls the listeners of the file, after this call. */
  tell(runIds: Iterable<string>, change: Parameters<StoreListener>[1]): void {
    const stores = listening.get(this.#file)
    if (stores === undefined) return
    const changed = new Set(runIds)
    soon(() => {
      for (const listeners of stores) for (const runId of changed) listeners.tell(runId, change)
    })
  }

  /** Removes the listeners of this store. */
  close(): void {
    this.#listeners.clear()
    this.#leave()
  }

  #leave(): void {
    const stores = listening.get(this.#file)
    if (stores?.delete(this.#listeners) === true && stores.size === 0) listening.delete(this.#file)
  }
}
