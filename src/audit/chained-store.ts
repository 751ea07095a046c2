/** `chainedStore()`: a store whose journals tell when they were changed. */
import {
  ConfigurationError,
  RunNotFoundError,
  type AppendReport,
  type Census,
  type JournalEntry,
  type JournalAppend,
  type Lease,
  type LeaseChange,
  type Store,
} from '../index.ts'
import { aText, optional, present, readOptions, required, type Fields, type Whole } from '../kit/index.ts'
import {
  aHead,
  Links,
  unlinked,
  someKeys,
  type ChainKeys,
  type LinkedEntry,
  type Verification,
  type VerifyOptions,
} from './chain.ts'
import { verified } from './verify.ts'

/** A store with the ports of another one, that verifies journals. */
export type ChainedStore<Inner extends Store> = Store & Pick<Inner, keyof Inner & keyof Store> & Verifying

/** The verification of a store. */
export interface Verifying {
  /**
   * Looks whether a journal is as it was appended. Rejects with a `RunNotFoundError`, and with a `ConfigurationError` for a
   * wrong option.
   */
  verify(runId: string, options?: VerifyOptions): Promise<Verification>
  /** Returns a journal with its links, for `verifyJournal` elsewhere. Rejects with a `RunNotFoundError`. */
  linked(runId: string): Promise<readonly LinkedEntry[]>
}

const fields: Fields<ChainKeys> = { current: required(aText), keys: required(someKeys) }

const verifyFields: Fields<VerifyOptions> = { head: optional(aHead) }

/**
 * Makes a store that puts a link to each entry of a journal: a keyed digest (HMAC-SHA256) of the entry, its place, and the link
 * before. Without a key nobody changes, removes, moves or adds an entry unseen; a journal that was cut at its end is found by a
 * head that was noted elsewhere. Threads, notes, lists and signals that wait have no links. Throws a `ConfigurationError` for a
 * wrong option.
 */
export function chainedStore<Inner extends Store>(store: Inner, options: ChainKeys): ChainedStore<Inner> {
  if (typeof (store as Partial<Store> | undefined)?.append !== 'function') {
    throw new ConfigurationError(
      'chainedStore: the first argument must be a store, such as sqliteStore(path).',
    )
  }
  const links = new Links(readOptions<ChainKeys>(options, 'chainedStore', fields))
  const appends = new LinkedAppends(store, links)
  const whole: Whole<Store> = {
    append: (given) => appends.append(given),
    schedule: store.schedule && ((flush) => store.schedule?.(flush)),
    read: async (runId, from) => (await store.read(runId, from))?.map(unlinked),
    census: store.census && (async (options) => store.census?.(options) as Promise<Census>),
    list: (name, filter) => store.list(name, filter),
    delete(runId, ...more) {
      appends.forget([runId])
      return store.delete(runId, ...more)
    },
    claim: (...given) => store.claim(...given),
    renew(leases) {
      appends.forget(leases.filter(isReleased).map(({ runId }) => runId))
      return store.renew(leases)
    },
    enqueueSignal: (...given) => store.enqueueSignal(...given),
    subscribe: store.subscribe && ((listener) => store.subscribe?.(listener) ?? (() => undefined)),
    redact: store.redact,
    ledger: store.ledger,
    memory: store.memory,
    config: store.config,
    blobs: store.blobs,
    schedules: store.schedules,
    compact: store.compact && (async () => store.compact?.()),
    close: store.close && (async () => store.close?.()),
  }
  const linked: Verifying['linked'] = async (runId) => {
    const journal = await store.read(runId)
    if (journal === undefined) throw new RunNotFoundError(runId)
    return journal
  }
  const verify: Verifying['verify'] = async (runId, given = {}) => {
    const { head } = readOptions<VerifyOptions>(given, 'verify', verifyFields)
    return verified(links, runId, await linked(runId), head)
  }
  return { ...present<Store>(whole), verify, linked } as Verifying as ChainedStore<Inner>
}

function isReleased({ expiresAt }: LeaseChange): boolean {
  return expiresAt === 0
}

/** The end of a journal, as the owner of a lease has written it. */
interface Tail {
  /** Another owner may have appended under another token. */
  readonly token: number
  readonly entries: number
  readonly link: string
}

class LinkedAppends {
  readonly #store: Pick<Store, 'append' | 'list' | 'read'>
  readonly #links: Links
  readonly #tails = new Map<string, Tail>()
  /** The append before: a tail is known once it has ended. */
  #before: Promise<unknown> = Promise.resolve()

  constructor(store: Pick<Store, 'append' | 'list' | 'read'>, links: Links) {
    this.#store = store
    this.#links = links
  }

  append(appends: readonly JournalAppend[]): Promise<AppendReport | void> {
    const appended = this.#before.then(() => this.#append(appends))
    this.#before = appended.catch(() => undefined) // the caller gets the error
    return appended
  }

  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#tails.delete(runId)
  }

  async #append(appends: readonly JournalAppend[]): Promise<AppendReport | void> {
    const tails = new Map<string, Tail>()
    const linked: JournalAppend[] = []
    for (const append of appends) linked.push(await this.#linked(append, tails))
    this.forget([...tails.keys()]) // nothing is known of a run whose append fails
    const report = await this.#store.append(linked)
    const isKept = keptBy(report)
    const ended = new Set(linked.flatMap(({ runId, entry }) => (entry?.type === 'run.settled' ? runId : [])))
    for (const [runId, tail] of tails) if (isKept(runId) && !ended.has(runId)) this.#tails.set(runId, tail)
    return report
  }

  async #linked(append: JournalAppend, tails: Map<string, Tail>): Promise<JournalAppend> {
    const { runId, entry, lease } = append
    if (entry === undefined) return append
    const { entries, link } = tails.get(runId) ?? (await this.#tailOf(runId, entry, lease))
    const made = await this.#links.next(runId, entries, link, entry)
    tails.set(runId, { token: lease.token, entries: entries + 1, link: made })
    return { ...append, entry: { ...entry, link: made } as LinkedEntry }
  }

  async #tailOf(runId: string, { type }: JournalEntry, { token }: Lease): Promise<Tail> {
    const none: Tail = { token, entries: 0, link: '' }
    if (type === 'run.started') return none
    const known = this.#tails.get(runId)
    if (known?.token === token) return known
    const [run] = (await this.#store.list('runs', { runId, limit: 1 })).items
    if (run === undefined) return none // the store reports the run as lost
    const [last]: readonly LinkedEntry[] = (await this.#store.read(runId, run.entries - 1)) ?? []
    return { token, entries: run.entries, link: last?.link ?? '' }
  }
}

function keptBy(report: AppendReport | void): (runId: string) => boolean {
  const unkept = [...(report?.answered ?? []), ...(report?.refused ?? [])]
  const without = new Set([...(report?.lost ?? []), ...unkept.map(({ runId }) => runId)])
  return (runId) => !without.has(runId)
}
