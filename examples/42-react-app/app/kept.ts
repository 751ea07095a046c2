/**
 * What outlives a page: the snapshot of the app, which holds the id of the run at work, and the journals of runs. Both are in a
 * `Storage`, such as `localStorage`. One page at a time has it.
 */
import { memoryStore, type JournalAppend, type Store } from 'troupe'
import type { Actor, Snapshot } from 'xstate'
import type { Shopping } from './shopping.ts'

export type KeptStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const appKey = 'app'

/** The snapshot of the app as the last page has left it; `undefined`: there was none. */
export function keptSnapshot(storage: KeptStorage): Snapshot<unknown> | undefined {
  const text = storage.getItem(appKey)
  return text === null ? undefined : (JSON.parse(text) as Snapshot<unknown>)
}

/** Keeps the snapshot of an app after each of its transitions. Returns the function that ends this. */
export function keepSnapshot(storage: KeptStorage, app: Actor<Shopping>): () => void {
  const keep = (): void => storage.setItem(appKey, JSON.stringify(app.getPersistedSnapshot()))
  const keeping = app.subscribe(keep)
  return () => keeping.unsubscribe()
}

/** A store in memory whose journals are kept in a storage as well. An entry is kept before any effect of it is performed. */
export async function keptStore(storage: KeptStorage): Promise<Store> {
  const memory = memoryStore({ endedRuns: Number.POSITIVE_INFINITY })
  const journals = new KeptJournals(storage)
  await memory.append(journals.read())
  return {
    ...memory,
    async append(appends) {
      journals.add(appends)
      const report = await memory.append(appends)
      const refused = [...(report?.lost ?? []), ...(report?.answered ?? []).map(({ runId }) => runId)]
      for (const runId of new Set(refused)) {
        journals.drop(runId, appends.filter((append) => append.runId === runId).length)
      }
      return report
    },
    async delete(runId, ...how) {
      const outcome = await memory.delete(runId, ...how)
      if (outcome === 'deleted') journals.drop(runId)
      return outcome
    },
  }
}

/** The journals of runs, an item of the storage for each entry. */
class KeptJournals {
  readonly #storage: KeptStorage
  readonly #lengths = new Map<string, number>()

  constructor(storage: KeptStorage) {
    this.#storage = storage
  }

  /** All that was added by earlier pages. Their leases have expired with them. */
  read(): JournalAppend[] {
    const keys = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index) ?? '')
    const places = keys.filter((key) => key.startsWith('run ')).map((key) => key.split(' '))
    const runIds = [...new Set(places.map(([, runId = '']) => runId))]
    for (const runId of runIds) this.#lengths.set(runId, places.filter(([, id]) => id === runId).length)
    return runIds.flatMap((runId) =>
      Array.from({ length: this.#length(runId) }, (_, index) => {
        const append = JSON.parse(this.#storage.getItem(keyOf(runId, index)) ?? '') as JournalAppend
        return { ...append, lease: { runId, owner: 'an earlier page', token: 1, expiresAt: 0 } }
      }),
    )
  }

  /** Throws where the storage is full; it has none of them then. */
  add(appends: readonly JournalAppend[]): void {
    const added: string[] = []
    try {
      for (const { runId, entry, questions } of appends) {
        const append = { runId, entry, questions }
        const length = this.#length(runId)
        this.#storage.setItem(keyOf(runId, length), JSON.stringify(append))
        this.#lengths.set(runId, length + 1)
        added.push(runId)
      }
    } catch (error) {
      for (const runId of added) this.drop(runId, 1)
      throw error
    }
  }

  /** `count`: of the last entries. Default: all. */
  drop(runId: string, count = this.#length(runId)): void {
    const length = this.#length(runId) - count
    for (let index = length + count - 1; index >= length; index--)
      this.#storage.removeItem(keyOf(runId, index))
    this.#lengths.set(runId, length)
  }

  #length(runId: string): number {
    return this.#lengths.get(runId) ?? 0
  }
}

function keyOf(runId: string, index: number): string {
  return `run ${runId} ${index}`
}
