/**
 * The runs of the service in an order: loaded page by page, and kept current. The first page is read again each second, and so are
 * the unfinished runs among the others.
 */
import { batch, signal } from '@preact/signals'
import type { RunRow } from '../../wire/routes.ts'
import type { Api } from '../connection/api.ts'
import { isNotFound } from '../connection/failure.ts'
import { repeat, type Repeating } from '../connection/repeat.ts'
import { hasEnded, type ListOrder, type ServerFilter } from './filter.ts'

/** The last failure of a request. */
export interface ListFailure {
  readonly error: unknown
  /** Milliseconds until the next attempt; absent: there is none by itself. */
  readonly retryIn?: number
}

const pageSize = 100
const pollEach = 1000
/** Unfinished runs below the newest page that are read one by one, each time. */
const mostAlone = 10

export class RunList {
  readonly runs = signal<readonly RunRow[]>([])
  readonly isLoaded = signal(false)
  readonly hasMore = signal(false)
  readonly failure = signal<ListFailure | undefined>(undefined)
  readonly #api: Api
  readonly #filter: ServerFilter
  readonly #order: ListOrder
  readonly #polling: Repeating
  readonly #stopListening: () => void
  #next: string | undefined
  #isLoadingMore = false
  #isClosed = false

  constructor(api: Api, filter: ServerFilter, order: ListOrder = 'newest') {
    this.#api = api
    this.#filter = filter
    this.#order = order
    this.#polling = repeat(
      pollEach,
      () => this.#poll(),
      (error, retryIn) => {
        this.failure.value = { error, retryIn }
      },
    )
    this.#stopListening = api.token.subscribe(() => this.#polling.now())
  }

  close(): void {
    this.#isClosed = true
    this.#stopListening()
    this.#polling.stop()
  }

  retry(): void {
    this.#polling.now()
  }

  /** Loads the next older page. */
  async more(): Promise<void> {
    if (this.#next === undefined || this.#isLoadingMore) return
    this.#isLoadingMore = true
    try {
      const page = await this.#page(this.#next)
      if (this.#isClosed) return
      this.#continueAt(page.next)
      const known = new Set(this.runs.peek().map(({ runId }) => runId))
      this.runs.value = [...this.runs.peek(), ...page.items.filter(({ runId }) => !known.has(runId))]
    } catch (error) {
      this.failure.value = { error }
    } finally {
      this.#isLoadingMore = false
    }
  }

  #page(before?: string) {
    const { within, begunWithin, ...filter } = this.#filter
    const times = { changedSince: ago(within), startedSince: ago(begunWithin) }
    return this.#api.runs({ ...filter, ...times, limit: pageSize, order: this.#order, before })
  }

  #continueAt(next: string | undefined): void {
    this.#next = next
    this.hasMore.value = next !== undefined
  }

  async #poll(): Promise<void> {
    const newest = await this.#page()
    const joined = joinNewest(this.runs.peek(), newest.items)
    const renewed = await this.#renew(joined.older)
    if (this.#isClosed) return
    batch(() => {
      if (!joined.isContinued) this.#continueAt(newest.next)
      this.runs.value = [...newest.items, ...renewed]
      this.isLoaded.value = true
      this.failure.value = undefined
    })
  }

  /** Reads the unfinished runs again that the newest page does not have. */
  async #renew(older: readonly RunRow[]): Promise<readonly RunRow[]> {
    const unfinished = older.filter((run) => !hasEnded(run)).slice(0, mostAlone)
    if (unfinished.length === 0) return older
    const read = await Promise.all(unfinished.map(({ runId }) => this.#read(runId)))
    const renewed = new Map(unfinished.map(({ runId }, index) => [runId, read[index]]))
    return older.flatMap((run) => (renewed.has(run.runId) ? (renewed.get(run.runId) ?? []) : run))
  }

  /** `undefined`: the run was deleted, or the filter leaves it out by now. */
  async #read(runId: string): Promise<RunRow | undefined> {
    try {
      const run = await this.#api.run(runId)
      return fits(run, this.#filter.status) ? run : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}

function ago(span: number | undefined): number | undefined {
  return span === undefined ? undefined : Date.now() - span
}

function fits(run: RunRow, wanted: string | undefined): boolean {
  return wanted === undefined || wanted === run.status || (wanted === 'unfinished' && !hasEnded(run))
}

/**
 * The known runs that come after the newest page. `isContinued` is false where the page has none of them: more runs were
 * started since than a page holds, and the list begins anew.
 */
export function joinNewest(
  known: readonly RunRow[],
  newest: readonly RunRow[],
): { readonly older: readonly RunRow[]; readonly isContinued: boolean } {
  const positions = new Map(known.map(({ runId }, index) => [runId, index]))
  const places = newest.flatMap(({ runId }) => positions.get(runId) ?? [])
  // A run that has moved to the front was further back before.
  const last = positions.get(newest.at(-1)?.runId ?? '') ?? Math.max(-1, ...places)
  const isNew = new Set(newest.map(({ runId }) => runId))
  const older = last < 0 ? [] : known.slice(last + 1).filter(({ runId }) => !isNew.has(runId))
  return { older, isContinued: older.length > 0 }
}
