/** The number of entries and the resource of runs: an entry is sealed for its place in its journal, by the key of its run. */
import type { JournalEntry, Lease, RunStore } from '../index.ts'
import type { Names } from './names.ts'
import { idOrName } from './envelope.ts'
import type { Awaitable } from './awaitable.ts'

export interface RunPlace {
  readonly resourceId: string | undefined
  /** The number of entries, under this lease alone: nobody else appends under it. */
  readonly counted?: { readonly token: number; readonly entries: number }
}

/** The most runs that are kept in mind: of others the index of the store is asked. */
const mostKept = 10_000

export class RunPlaces {
  readonly #store: Pick<RunStore, 'list'>
  readonly #names: Names
  readonly #places = new Map<string, RunPlace>()
  /** The tokens of claims whose runs are still to be read. */
  readonly #claimed = new Map<string, number>()

  constructor(store: Pick<RunStore, 'list'>, names: Names) {
    this.#store = store
    this.#names = names
  }

  /** The place of the next entry. `undefined`: there is no such run, and the store refuses its appends. */
  next(runId: string, { token }: Pick<Lease, 'token'>): Awaitable<Required<RunPlace> | undefined> {
    const known = this.#places.get(runId)
    if (known?.counted?.token === token) return known as Required<RunPlace>
    return this.#lookUp(runId).then((found) => {
      if (found === undefined) return undefined
      const { resourceId, entries } = found
      return { resourceId, counted: { token, entries } }
    })
  }

  /** The resource of a run; an unknown run has none. */
  resourceOf(runId: string): Awaitable<string | undefined> {
    const known = this.#places.get(runId)
    if (known !== undefined) return known.resourceId
    return this.#lookUp(runId).then((found) => {
      if (found !== undefined) this.#keep(runId, { resourceId: found.resourceId })
      return found?.resourceId
    })
  }

  async #lookUp(runId: string): Promise<{ resourceId: string | undefined; entries: number } | undefined> {
    const [run] = (await this.#store.list('runs', { runId, limit: 1 })).items
    if (run === undefined) return undefined
    const { resourceId: name, entries } = run
    return { resourceId: name === undefined ? undefined : idOrName(this.#names, 'resource', name), entries }
  }

  /** The store has kept the entries up to here. */
  kept(runId: string, place: RunPlace): void {
    this.#keep(runId, place)
  }

  /** Others may have changed the run. */
  forget(runId: string): void {
    this.#places.delete(runId)
    this.#claimed.delete(runId)
  }

  /** The run was claimed: what is read from now on is all that there is before its next entry. */
  claimed(runId: string, token: number): void {
    this.forget(runId)
    if (this.#claimed.size >= mostKept) this.#claimed.clear()
    this.#claimed.set(runId, token)
  }

  /** Called before a journal is read; what it returns is called with the journal. */
  reading(runId: string): (entries: number, started: JournalEntry | undefined) => void {
    const token = this.#claimed.get(runId)
    return (entries, started) => {
      const isSame = token !== undefined && this.#claimed.get(runId) === token
      if (started?.type !== 'run.started' || this.#places.get(runId)?.counted !== undefined) return
      const { resourceId } = started
      if (isSame) this.#claimed.delete(runId)
      this.#keep(runId, { resourceId, ...(isSame ? { counted: { token, entries } } : {}) })
    }
  }

  #keep(runId: string, place: RunPlace): void {
    this.#places.delete(runId)
    if (this.#places.size >= mostKept) {
      for (const oldest of this.#places.keys()) {
        this.#places.delete(oldest)
        break
      }
    }
    this.#places.set(runId, place)
  }
}
