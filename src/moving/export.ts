/** Reads runs, threads, notes and files of a store as lines of JSON: one section after the other, so that it holds one at a time. */
import {
  ConfigurationError,
  RunOwnedError,
  type Claimed,
  type JournalEntry,
  type LeaseChange,
  type RunFilter,
  type RunSummary,
  type Store,
  type Thread,
} from '../index.ts'
import {
  type Fields,
  aBoolean,
  blobRefsIn,
  defaultsOf,
  having,
  readOptions,
  readRunFilter,
  required,
  withDefault,
} from '../kit/index.ts'
import {
  base64Of,
  formatName,
  formatVersion,
  sealed,
  type BlobLine,
  type Counts,
  type EndLine,
  type EntryLine,
  type HeadLine,
  type MessageLine,
  type NoteLine,
  type RunLine,
  type SignalLine,
  type ThreadLine,
} from './format.ts'

/** Chooses the runs of an export. Default: all. */
export type ExportFilter = Omit<RunFilter, 'limit' | 'before' | 'order'>

/** The options of an export. */
export interface ExportOptions {
  /**
   * Each unfinished run ends in this store, by force and as `RUN_MOVED`, before its lines are given: it goes on where it is imported
   * alone, and asks nothing. A later export gives it again. Default: `false`: a run may go on in both stores, and the imported one
   * asks before calls that may have been made.
   */
  readonly move?: boolean
}

const optionFields = { move: withDefault(aBoolean, false) } satisfies Fields<ExportOptions>

const storeFields: Fields<{ readonly store: Store }> = {
  store: required(having('a store', 'append', 'read', 'list', 'claim', 'renew')),
}

/** The code of the end of a run that has moved. */
const movedCode = 'RUN_MOVED'

/** Runs of a page. */
const pageSize = 50

/** Milliseconds for which a run is held while it is read. */
const holdTime = 60_000

/** Milliseconds that a lease of another process may be dated ahead. */
const longestLease = 3_600_000

/**
 * Reads all of a resource as lines of JSON, for `importRuns`: its runs with the decisions in them, its threads, its note, and the
 * files that these name. Throws, while it is read, a `RunOwnedError` where a process has a run: the text has then no end, and no
 * import takes it for whole.
 */
export function exportResource(
  store: Store,
  resourceId: string,
  options: ExportOptions = {},
): AsyncIterable<string> {
  if (typeof resourceId !== 'string' || resourceId === '') {
    throw new ConfigurationError('exportResource: the id of the resource must be a text that is not empty.')
  }
  const { move } = read(store, options, 'exportResource')
  return new Export(store, move).lines({ resourceId }, { resourceId })
}

/**
 * As `exportResource`, of the runs that a filter chooses, with the runs within their calls, the runs that began them, and those that
 * a fork descends from. Their threads and the notes of their resources come with them; without a filter all threads do.
 */
export function exportRuns(
  store: Store,
  filter: ExportFilter = {},
  options: ExportOptions = {},
): AsyncIterable<string> {
  const { move } = read(store, options, 'exportRuns')
  const { limit: _limit, before: _before, order: _order, ...chosen } = readRunFilter(filter)
  return new Export(store, move).lines(chosen, Object.keys(chosen).length === 0 ? {} : undefined)
}

function read(store: Store, options: ExportOptions, where: string): Required<ExportOptions> {
  readOptions<{ readonly store: Store }>({ store }, where, storeFields)
  return { ...defaultsOf(optionFields), ...readOptions<ExportOptions>(options, where, optionFields) }
}

type Count = { -readonly [Name in keyof Counts]: number }

class Export {
  readonly #store: Store
  readonly #move: boolean
  readonly #owner = `export-${crypto.randomUUID()}`
  readonly #counts: Count = { runs: 0, threads: 0, notes: 0, blobs: 0 }
  /** Files that were given, and names that are not to be given again. */
  readonly #blobs = new Set<string>()
  readonly #runs = new Set<string>()
  readonly #threads = new Set<string>()
  readonly #resources = new Set<string>()
  /** The kin of runs that were given. */
  readonly #kin = new Set<string>()

  constructor(store: Store, move: boolean) {
    this.#store = store
    this.#move = move
  }

  /** `threads`: those to give beside those of the runs. */
  async *lines(
    filter: ExportFilter,
    threads: { readonly resourceId?: string } | undefined,
  ): AsyncGenerator<string> {
    const head: HeadLine = { format: formatName, version: formatVersion, at: Date.now() }
    yield `${JSON.stringify(head)}\n`
    for await (const summary of this.#listed(filter)) yield* this.#run(summary)
    yield* this.#relatives(filter)
    const { memory } = this.#store
    if (memory !== undefined) {
      const named = [...this.#threads]
      this.#threads.clear()
      if (threads !== undefined)
        for (const thread of await memory.threads(threads)) yield* this.#thread(thread)
      for (const threadId of named)
        for (const thread of await memory.threads({ threadId })) yield* this.#thread(thread)
      const resources = new Set([
        ...this.#resources,
        ...(threads?.resourceId === undefined ? [] : [threads.resourceId]),
      ])
      for (const resource of resources) yield* this.#note(resource)
    }
    const end: EndLine = { end: this.#counts }
    yield `${JSON.stringify(end)}\n`
  }

  async *#listed(filter: ExportFilter): AsyncGenerator<RunSummary> {
    let before: string | undefined
    do {
      const page = await this.#store.list('runs', {
        ...filter,
        limit: pageSize,
        ...(before === undefined ? {} : { before }),
      })
      yield* page.items
      before = page.next
    } while (before !== undefined)
  }

  /** Runs that belong to those of a filter: it may have left them out. */
  async *#relatives(filter: ExportFilter): AsyncGenerator<string> {
    if (Object.keys(filter).length === 0) return
    let known: number
    do {
      known = this.#runs.size
      for (const runId of this.#kin) {
        for (const summary of (await this.#store.list('runs', { runId, limit: 1 })).items)
          yield* this.#run(summary)
      }
      for await (const summary of this.#listed({})) {
        if (this.#runs.has(summary.runId)) continue
        const [started] = (await this.#store.read(summary.runId)) ?? []
        const outer = started?.type === 'run.started' ? started.nested?.runId : undefined
        if (outer !== undefined && this.#runs.has(outer)) yield* this.#run(summary)
      }
    } while (this.#runs.size > known)
  }

  async *#run(summary: RunSummary): AsyncGenerator<string> {
    const { runId } = summary
    if (this.#runs.has(runId)) return
    this.#runs.add(runId)
    const lease = summary.status === 'settled' ? undefined : await this.#claim(runId)
    try {
      const journal = await this.#store.read(runId)
      if (journal === undefined) return // deleted since it was listed
      const signals = (await this.#store.list('signals', { runIds: [runId] })).items
      const [newest = summary] = (await this.#store.list('runs', { runId, limit: 1 })).items
      if (lease !== undefined && this.#move) await this.#end(newest, journal, lease)
      this.#noteKin(journal)
      yield* this.#files(JSON.stringify(journal))
      yield await sealed(runLines(newest, journal, { lease, signals, move: this.#move }))
      this.#counts.runs++
    } finally {
      if (lease !== undefined) await this.#release(lease)
    }
  }

  async #claim(runId: string): Promise<Claimed> {
    const now = Date.now()
    const lease = await this.#store.claim(runId, this.#owner, now, now + holdTime, now + longestLease)
    if (lease === undefined) throw new RunOwnedError(runId)
    return lease
  }

  #release({ runId, owner, token, wasPassivated }: Claimed): Promise<unknown> {
    const change: LeaseChange = { runId, owner, token, expiresAt: 0 }
    return this.#store.renew([
      wasPassivated === undefined ? change : { ...change, passivated: wasPassivated },
    ])
  }

  /** Nobody goes on with it here from then on, also where this process ends before its lines are kept. */
  async #end({ runId, usage }: RunSummary, journal: readonly JournalEntry[], lease: Claimed): Promise<void> {
    const message = 'The run has moved to another store.'
    const entry: JournalEntry = {
      type: 'run.settled',
      at: Math.max(Date.now(), journal.at(-1)?.at ?? 0),
      outcome: 'cancelled',
      text: '',
      reason: 'moved',
      error: { name: 'TroupeError', code: movedCode, message },
      forced: true,
      usage,
    }
    const queued = (await this.#store.list('signals', { runIds: [runId] })).items
    const [first, ...others] = queued.map(({ id }) => ({ runId, lease, queued: id }))
    const appends = [{ runId, entry, lease, ...first }, ...others]
    const report = await this.#store.append(appends)
    if ((report?.lost ?? []).length > 0) throw new RunOwnedError(runId)
  }

  #noteKin([started]: readonly JournalEntry[]): void {
    if (started?.type !== 'run.started') return
    const { nested, lineage = [], threadId, resourceId } = started
    for (const { runId } of lineage) this.#kin.add(runId)
    if (nested !== undefined) this.#kin.add(nested.runId)
    if (threadId !== undefined) this.#threads.add(threadId)
    if (resourceId !== undefined) this.#resources.add(resourceId)
  }

  async *#files(json: string): AsyncGenerator<string> {
    for (const ref of blobRefsIn(json)) {
      if (this.#blobs.has(ref)) continue
      this.#blobs.add(ref)
      const bytes = await this.#store.blobs?.get(ref)
      if (bytes === undefined) continue // a text that looks like the name of a file
      const line: BlobLine = { blob: ref, bytes: base64Of(bytes) }
      yield await sealed([line])
      this.#counts.blobs++
    }
  }

  async *#thread({ id, resourceId }: Thread): AsyncGenerator<string> {
    if (this.#threads.has(id)) return
    this.#threads.add(id)
    const messages = (await this.#store.memory?.messages(id, {})) ?? []
    yield* this.#files(JSON.stringify(messages))
    const line: ThreadLine = {
      thread: id,
      ...(resourceId === undefined ? {} : { resourceId }),
      messages: messages.length,
    }
    yield await sealed([line, ...messages.map((message): MessageLine => ({ message }))])
    this.#counts.threads++
  }

  async *#note(resource: string): AsyncGenerator<string> {
    const content = await this.#store.memory?.workingMemory(resource)
    if (content === undefined) return
    const line: NoteLine = { note: resource, content }
    yield await sealed([line])
    this.#counts.notes++
  }
}

interface Read {
  /** Set for a run that had not ended. */
  readonly lease: Claimed | undefined
  readonly signals: readonly SignalLine[]
  readonly move: boolean
}

function runLines(
  { runId, status, awaiting }: RunSummary,
  whole: readonly JournalEntry[],
  { lease, signals, move }: Read,
): readonly object[] {
  const last = whole.at(-1)
  const wasMoved = last?.type === 'run.settled' && last.error?.code === movedCode
  const journal = wasMoved ? whole.slice(0, -1) : whole
  const waits = lease?.wasPassivated
  const line: RunLine = {
    run: runId,
    entries: journal.length,
    signals: signals.length,
    ...(status === 'suspended' || waits !== undefined ? { isSuspended: true as const } : {}),
    ...(waits === undefined ? {} : { isPassivated: true as const }),
    ...(waits?.wakeAt === undefined ? {} : { wakeAt: waits.wakeAt }),
    awaiting: awaiting.map(({ leftAt: _leftAt, ...question }) => question),
    ...(wasMoved || (move && lease !== undefined) ? { isMoved: true as const } : {}),
  }
  const queued = signals.map(({ signal, claim }): SignalLine => ({
    signal,
    ...(claim === undefined ? {} : { claim }),
  }))
  return [line, ...journal.map((entry): EntryLine => ({ entry })), ...queued]
}
