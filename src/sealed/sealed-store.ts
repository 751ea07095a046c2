/** `sealedStore()`: a store whose content nobody reads without its keys. */
import type {
  BlobStorage,
  Census,
  ConfigStorage,
  LedgerStorage,
  MemoryStorage,
  OpenQuestion,
  Page,
  QueuedSignal,
  RunSignal,
  ScheduleStorage,
  Store,
  StoreListName,
  StoreLists,
} from '../index.ts'
import { ConfigurationError, StoreError } from '../index.ts'
import {
  type Fields,
  type Whole,
  aFunction,
  defaultsOf,
  having,
  is,
  milliseconds,
  optional,
  present,
  readOptions,
  reporterOf,
  required,
  withDefault,
} from '../kit/index.ts'
import type { OnError } from '../index.ts'
import { all, rescued, after, type Awaitable } from './awaitable.ts'
import type { SealCodec } from './codec.ts'
import {
  type ClearQuestionFilter,
  type ClearRun,
  type ClearRunFilter,
  idOrName,
  namedFilter,
  sealedIn,
  unnamed,
} from './envelope.ts'
import { Names } from './names.ts'
import { Redactor, type Redact } from './redact.ts'
import { RunAppends } from './run-appends.ts'
import { RunPlaces } from './run-places.ts'
import { sealedBlobs } from './sealed-blobs.ts'
import { sealedConfig } from './sealed-config.ts'
import { sealedLedger } from './sealed-ledger.ts'
import { sealedMemory } from './sealed-memory.ts'
import { sealedSchedules } from './sealed-schedules.ts'
import { isUnreadable, Seals } from './seals.ts'

/** The options of `sealedStore`. */
export interface SealedStoreOptions {
  /** Seals content and opens it: `aesCodec`, or your own. */
  readonly codec: SealCodec
  /**
   * A secret of 32 bytes or more, for the names of ids and files: it stays the same for as long as the store does. Another secret
   * finds nothing.
   */
  readonly names: Uint8Array
  /**
   * Names the key of a resource; `undefined`: what belongs to none. A name is not written down. Default: the id of the resource,
   * and `shared`.
   */
  readonly keyOf?: (resourceId: string | undefined) => string | Promise<string>
  /**
   * The text that is kept in place of a text of content, before it is written: a run goes on with what is on record. It answers at
   * once, and leaves what it has answered as it is. Default: texts are kept as they are.
   */
  readonly redact?: Redact
  /** Milliseconds that a call of the codec, or of `keyOf`, has; then it has failed. Default: 10 000. */
  readonly timeout?: number
  /** Receives signals and questions that do not open: lists leave them out. Default: one `console.warn` each. */
  readonly onError?: OnError
}

const fields = {
  codec: required(having('a codec', 'seal', 'open')),
  names: required(is('a Uint8Array of 32 bytes or more', isSecret)),
  keyOf: withDefault(aFunction, (resourceId: string | undefined) => resourceId ?? 'shared'),
  redact: optional(aFunction),
  timeout: withDefault(milliseconds, 10_000),
  onError: optional(aFunction),
} satisfies Fields<SealedStoreOptions>

function isSecret(given: unknown): boolean {
  return given instanceof Uint8Array && given.length >= 32
}

/** A store with the ports of another one. */
export type SealedStore<Inner extends Store> = Store & Pick<Inner, keyof Inner & keyof Store>

/**
 * Makes a store that keeps its content in another one, sealed: entries, messages, notes, questions, signals, files and
 * configuration. Ids that a resource may be known by are kept as keyed digests. What stays clear is listed in
 * `docs/run/sealed.md`. An operation rejects with a `StoreError`: `SEAL_KEY_MISSING` for a key that was forgotten, `SEAL_BROKEN`
 * for content that was changed, moved or never sealed, `SEAL_FAILED` for a codec that fails or gives no answer. Throws a
 * `ConfigurationError` for a wrong option.
 */
export function sealedStore<Inner extends Store>(
  store: Inner,
  options: SealedStoreOptions,
): SealedStore<Inner> {
  if (typeof (store as Partial<Store> | undefined)?.append !== 'function') {
    throw new ConfigurationError(
      'sealedStore: the first argument must be a store, such as sqliteStore(path).',
    )
  }
  const {
    codec,
    names: secret,
    keyOf,
    redact: redacts,
    timeout,
    onError,
  } = {
    ...defaultsOf(fields),
    ...readOptions<SealedStoreOptions>(options, 'sealedStore', fields),
  }
  const names = new Names(secret)
  const seals = new Seals({ codec, keyOf, timeout, fingerprint: names.fingerprint })
  const redact = new Redactor(redacts)
  const parts = { seals, names, redact }
  const report = reporterOf(onError)
  const places = new RunPlaces(store, names)

  /** Of a list: what nobody can open is left out, and hides nothing else. */
  const listed = <Item>(
    runId: string,
    what: string,
    open: () => Awaitable<Item>,
  ): Awaitable<Item | undefined> =>
    rescued<Item | undefined>(open, (error) => {
      if (!isUnreadable(error)) throw error
      report({
        message: `a ${what} of the run "${runId}" is left out`,
        code: 'CONTENT_LEFT_OUT',
        where: 'store',
        error,
        runId,
      })
      return undefined
    })
  const openSignal = (queued: QueuedSignal): Awaitable<QueuedSignal> => {
    const { id, runId, claim, signal } = queued
    return after(seals.open(sealedIn(signal), ['signal', runId]), (opened) => ({
      id,
      runId,
      signal: opened as RunSignal,
      ...(claim === undefined ? {} : { claim: names.idOf('claim', claim) }),
    }))
  }
  const openQuestion = (row: OpenQuestion): Awaitable<OpenQuestion> =>
    after(seals.open(sealedIn(row), ['question', row.runId, row.toolCallId]), (opened) => ({
      ...(opened as OpenQuestion),
      ...(row.leftAt === undefined ? {} : { leftAt: row.leftAt }),
    }))
  const questionsOf = async (rows: readonly OpenQuestion[]): Promise<OpenQuestion[]> =>
    some(await all(rows.map((row) => listed(row.runId, 'question', () => openQuestion(row)))))
  const appends = new RunAppends({ store, ...parts, places, openSignal })

  const readers: {
    readonly [Name in StoreListName]: (
      filter: StoreLists[Name]['filter'],
    ) => Promise<Page<StoreLists[Name]['item']>>
  } = {
    async runs(filter: ClearRunFilter) {
      const page = await store.list('runs', namedFilter(filter, names))
      const items = page.items.map(async (run: ClearRun) => {
        const awaiting = run.awaiting.length === 0 ? run.awaiting : await questionsOf(run.awaiting)
        return { ...unnamed(run, names), awaiting }
      })
      return { ...page, items: await Promise.all(items) }
    },
    async questions(filter: ClearQuestionFilter) {
      const page = await store.list('questions', namedFilter(filter, names))
      return { ...page, items: await questionsOf(page.items) }
    },
    async signals(filter) {
      const page = await store.list('signals', filter)
      const opened = page.items.map((queued) => listed(queued.runId, 'signal', () => openSignal(queued)))
      return { ...page, items: some(await all(opened)) }
    },
    endedRuns: (filter) => store.list('endedRuns', filter),
    async unusedThreads(filter) {
      const page = await store.list('unusedThreads', filter)
      return { ...page, items: page.items.map((name) => idOrName(names, 'thread', name)) }
    },
  }

  const whole: Whole<Store> = {
    append: (given) => appends.append(given),
    schedule: store.schedule && ((flush) => store.schedule?.(flush)),
    async read(runId, from = 0) {
      const isRead = places.reading(runId)
      const entries = await store.read(runId, from)
      if (entries === undefined) return undefined
      const opened = await all(
        entries.map((entry, index) =>
          after(seals.open(sealedIn(entry), ['entry', runId, from + index]), (one) => one as typeof entry),
        ),
      )
      if (from === 0) isRead(opened.length, opened[0])
      return opened
    },
    census: store.census && (async (options) => store.census?.(options) as Promise<Census>),
    list: (name, filter) => readers[name](filter),
    delete(runId, ...more) {
      places.forget(runId)
      return store.delete(runId, ...more)
    },
    async claim(...given) {
      const claimed = await store.claim(...given)
      if (claimed !== undefined) places.claimed(claimed.runId, claimed.token)
      return claimed
    },
    renew: (leases) => store.renew(leases),
    async enqueueSignal(runId, signal, claim) {
      const sealed = await seals.seal(redact.signal(signal), await places.resourceOf(runId), [
        'signal',
        runId,
      ])
      const row = { type: signal.type, sealed } as object as RunSignal
      if (claim === undefined) return store.enqueueSignal(runId, row)
      return store.enqueueSignal(runId, row, { ...claim, key: names.of('claim', claim.key) })
    },
    subscribe: store.subscribe && ((listener) => store.subscribe?.(listener) ?? (() => undefined)),
    redact: redact.isNeeded ? (entry) => redacted(redact, entry) : undefined,
    memory: store.memory && present<MemoryStorage>(sealedMemory(store.memory, parts)),
    config: store.config && present<ConfigStorage>(sealedConfig(store.config, parts)),
    blobs: store.blobs && present<BlobStorage>(sealedBlobs(store.blobs, parts)),
    ledger: store.ledger && present<LedgerStorage>(sealedLedger(store.ledger, names)),
    schedules:
      store.schedules && present<ScheduleStorage>(sealedSchedules(store.schedules, { ...parts, report })),
    compact: store.compact && (async () => store.compact?.()),
    close: store.close && (async () => store.close?.()),
  }
  return present<Store>(whole) as SealedStore<Inner>
}

function some<Item>(items: readonly (Item | undefined)[]): Item[] {
  return items.filter((item) => item !== undefined)
}

function redacted<Entry extends Parameters<Redactor['entry']>[0]>(redact: Redactor, entry: Entry): Entry {
  try {
    return redact.entry(entry) as Entry
  } catch (cause) {
    throw new StoreError('The redact function of the store threw: nothing was written.', {
      code: 'SEAL_FAILED',
      cause,
    })
  }
}
