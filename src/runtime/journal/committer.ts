/**
 * Appends entries to the store, then delivers them. The entries that the runs of a troupe append within one turn are
 * one transaction; none is delivered before the store has taken it, and all are delivered in the order of the journal.
 */
import { SparseSet } from '../../actors/values/sparse.ts'
import { noContext } from '../async-context.ts'
import { LeaseLostError, type TroupeError } from '../../errors.ts'
import type { PromptFiles } from '../files/prompt-files.ts'
import type { JournalEntry } from './journal.ts'
import type { LedgerSpending } from '../tenants/ledger-storage.ts'
import { spendingOf } from '../tenants/tenant-charge.ts'
import { closedError, filesRefused, storeFailure } from './lost-run.ts'
import type { QuestionChange } from './run-index.ts'
import type { AppendReport, JournalAppend, Lease, QueuedSignal, Store } from './store.ts'
import { soon } from '../../actors/values/order.ts'

/** A run that appends entries, and receives those that are durable. */
export interface Appender {
  /** The right to append. */
  readonly lease: Lease
  committed(entry: JournalEntry): void
  /** All entries of one transaction are delivered. */
  turnEnded(): void
  /**
   * The store accepted answers before `waiting` was durable. Gives the drafts to append instead: the answers come
   * first.
   */
  overtaken(answers: readonly QueuedSignal[], waiting: readonly Draft[]): readonly Draft[]
  /** Whether the index of the store may have questions of the run, or lack some. Default: it has none. */
  readonly hasQuestions?: boolean
  /** The change of its questions in the index that goes to the store together with these entries. */
  questionChange?(entries: readonly JournalEntry[]): QuestionChange | undefined
  /** The last change is durable; the entries that came with it are delivered after this. */
  questionsKept?(): void
  /** The entries that came with the last change are delivered. */
  indexed?(): void
  /**
   * The store refused, or another owner has taken the run, and none of its entries was kept; or a delivery threw, by a
   * fault of the library.
   */
  broke(error: unknown): void
}

/** Called with the outcome of one entry. */
export interface Receipt {
  /** The entry is durable. */
  kept(): void
  /** The entry is not durable, and never will be. */
  refused(error: unknown): void
}

export interface AppendOptions {
  /** The id of the queued signal that the entry comes from. */
  readonly queued?: number
  readonly receipt?: Receipt
  /** Files that the store must have before the entry that names them: the first entry of a run. */
  readonly files?: Pick<PromptFiles, 'put' | 'drop'>
}

/** An entry on its way to the store. */
export interface Draft extends AppendOptions {
  readonly entry: JournalEntry
}

/** The store sees what `JournalAppend` has, all of it JSON; the rest is no field, so that no store writes or copies it. */
class Append implements JournalAppend {
  readonly runId: string
  readonly entry: JournalEntry
  readonly lease: Lease
  readonly queued?: number
  readonly spent?: LedgerSpending
  readonly #appender: Appender
  readonly #receipt: Receipt | undefined
  readonly #files: AppendOptions['files']

  constructor(appender: Appender, entry: JournalEntry, { queued, receipt, files }: AppendOptions) {
    const { lease } = appender
    this.runId = lease.runId
    this.entry = entry
    this.lease = lease
    if (queued !== undefined) this.queued = queued
    if (entry.type === 'effect.settled' && entry.charge !== undefined)
      this.spent = spendingOf(entry.key, entry.charge)
    this.#appender = appender
    this.#receipt = receipt
    this.#files = files
  }

  get appender(): Appender {
    return this.#appender
  }

  get receipt(): Receipt | undefined {
    return this.#receipt
  }

  get files(): AppendOptions['files'] {
    return this.#files
  }
}

/** The appends of one transaction: entries, and the changes of questions that go with them. */
interface Batch {
  readonly entries: readonly Append[]
  readonly changes: ReadonlyMap<Appender, JournalAppend>
}

const noChanges: Batch['changes'] = new Map()
const nothing: ReadonlySet<string> = new Set()
const nobody: readonly Appender[] = []
const endTurn = (appender: Appender): void => appender.turnEnded()

export class Committer {
  readonly #store: Pick<Store, 'append' | 'schedule' | 'redact'>
  readonly #flushNow = (): void => this.#flush()
  readonly #flushSoon = (): void => {
    if (this.#store.schedule === undefined) soon(this.#flushNow)
    else this.#store.schedule(this.#flushNow)
  }
  #waiting: Append[] = []
  /** By run, the entries that wait for files. */
  readonly #held = new Map<Appender, Append[]>()
  /** Accepted answers that are not appended yet. */
  #answers = new Map<Appender, QueuedSignal[]>()
  /** The runs whose questions have changed since the index was written. */
  readonly #stale = new Set<Appender>()
  #isFlushing = false
  #isClosed = false
  #flushed: PromiseWithResolvers<void> | undefined

  constructor(store: Pick<Store, 'append' | 'schedule' | 'redact'>) {
    this.#store = store
  }

  /** After `close` the entry is refused. */
  append(appender: Appender, entry: JournalEntry, options: AppendOptions = {}): void {
    if (this.#isClosed) return refuseClosed(appender, options.receipt)
    const kept = this.#redacted(appender, entry, options)
    if (kept === undefined) return
    const append = new Append(appender, kept, options)
    const held = this.#held.get(appender)
    if (held !== undefined) held.push(append)
    else if (options.files !== undefined) this.#hold(options.files, [append])
    else this.#enter([append])
  }

  /** `undefined`: the entry is refused, after the call. */
  #redacted(appender: Appender, entry: JournalEntry, { receipt }: AppendOptions): JournalEntry | undefined {
    if (this.#store.redact === undefined) return entry
    try {
      return this.#store.redact(entry)
    } catch (cause) {
      const { runId } = appender.lease
      soon(() => {
        const error = storeFailure(runId, 'The store did not take the journal', cause)
        this.#giveUp(new Set([appender]), () => error)
        receipt?.refused(error)
      })
      return undefined
    }
  }

  #enter(appends: readonly Append[]): void {
    this.#waiting.push(...appends)
    this.#begin()
  }

  /** Holds the entries of one run until the files of the first are stored. Entries of other runs go on meanwhile. */
  #hold(files: Pick<PromptFiles, 'put'>, held: readonly [Append, ...Append[]]): void {
    const [{ appender }] = held
    this.#held.set(appender, [...held])
    files.put().then(
      () => this.#enter(this.#takeHeld(appender)),
      (cause: unknown) => this.#break(this.#takeHeld(appender), (runId) => filesRefused(runId, cause)),
    )
  }

  #takeHeld(appender: Appender): readonly Append[] {
    const held = this.#held.get(appender) ?? []
    this.#held.delete(appender)
    return held
  }

  /** Refuses the entries that wait for files. */
  #dropHeld(): void {
    for (const appender of this.#held.keys()) {
      for (const { files, receipt } of this.#takeHeld(appender)) {
        files?.drop()
        refuseClosed(appender, receipt)
      }
    }
  }

  /** Takes an answer that the store has accepted: it comes before every entry of its run that is not durable yet. */
  answered(appender: Appender, answer: QueuedSignal): void {
    if (this.#isClosed) return // the next owner takes it
    this.#noteAnswer(appender, answer)
    this.#begin()
  }

  /** Writes the questions of a run into the index: with the entries that wait, else by themselves. */
  index(appender: Appender): void {
    if (this.#isClosed) return
    this.#stale.add(appender)
    this.#begin()
  }

  #noteAnswer(appender: Appender, answer: QueuedSignal): void {
    const noted = this.#answers.get(appender) ?? []
    if (noted.every(({ id }) => id !== answer.id)) this.#answers.set(appender, [...noted, answer])
  }

  #begin(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#schedule()
  }

  /** In no context: a transaction has entries of several runs, and each calls its user's functions in its own. */
  #schedule(): void {
    noContext.run(this.#flushSoon)
  }

  /** Resolves when everything that was appended so far is delivered. */
  async flushed(): Promise<void> {
    if (!this.#isFlushing) return
    this.#flushed ??= Promise.withResolvers()
    return this.#flushed.promise
  }

  /** Resolves when all entries, also those that deliveries append, are delivered: from then on it takes none. */
  async close(): Promise<void> {
    while (this.#isFlushing) await this.flushed()
    this.#isClosed = true
    this.#dropHeld()
  }

  #flush(): void {
    this.#putAnswersFirst()
    const entries = this.#waiting
    this.#waiting = []
    const batch: Batch = { entries, changes: this.#changesWith(entries) }
    if (entries.length + batch.changes.size === 0) return this.#next()
    let stored: AppendReport | void | Promise<AppendReport | void>
    try {
      stored = this.#store.append(
        batch.changes.size === 0 ? entries : [...entries, ...batch.changes.values()],
      )
    } catch (cause) {
      this.#refuse(batch, cause)
      return
    }
    if (!isThenable(stored)) this.#deliver(batch, stored)
    else {
      Promise.resolve(stored).then(
        (report) => this.#deliver(batch, report),
        (cause: unknown) => this.#refuse(batch, cause),
      )
    }
  }

  /** The changes of questions that go with these entries. */
  #changesWith(entries: readonly Append[]): Batch['changes'] {
    const asking = new SparseSet<Appender>()
    for (const { appender } of entries) if (appender.hasQuestions === true) asking.add(appender)
    if (this.#stale.size > 0) {
      for (const appender of this.#stale) if (appender.hasQuestions === true) asking.add(appender)
      this.#stale.clear()
    }
    if (asking.size === 0) return noChanges
    const changes = new Map<Appender, JournalAppend>()
    for (const appender of asking) {
      const mine = entries.flatMap((append) => (append.appender === appender ? append.entry : []))
      this.#guarded(appender, () => {
        const questions = appender.questionChange?.(mine)
        const { lease } = appender
        if (questions !== undefined) changes.set(appender, { runId: lease.runId, lease, questions })
      })
    }
    return changes
  }

  /** Every durable entry is delivered by now: the answers meet the run in the state of its journal. */
  #putAnswersFirst(): void {
    if (this.#answers.size === 0) return
    for (const [appender, answers] of this.#answers) {
      const isMine = (append: Append): boolean => append.appender === appender
      let drafts: readonly Draft[] = []
      this.#guarded(appender, () => {
        const given = appender.overtaken(answers, this.#waiting.filter(isMine))
        const { redact } = this.#store
        drafts =
          redact === undefined ? given : given.map((draft) => ({ ...draft, entry: redact(draft.entry) }))
      })
      const others = this.#waiting.filter((append) => !isMine(append))
      this.#waiting = [...drafts.map((draft) => new Append(appender, draft.entry, draft)), ...others]
    }
    this.#answers.clear()
  }

  #deliver(stored: Batch, report: AppendReport | void): void {
    const { entries: taken, changes } = stored
    const lost = new SparseSet<string>()
    for (const runId of lostOf(report)) lost.add(runId)
    const refused = refusedOf(report)
    for (const runId of refused.keys()) lost.add(runId)
    const overtaken = this.#overtaken(stored, answeredOf(report))
    const isKept = ({ runId }: { readonly runId: string }): boolean =>
      !lost.has(runId) && !overtaken.has(runId)
    const batch = lost.size + overtaken.size === 0 ? taken : taken.filter(isKept)
    const indexed =
      changes.size === 0
        ? nobody
        : [...changes].flatMap(([appender, change]) => (isKept(change) ? appender : []))
    for (const appender of indexed) this.#guarded(appender, () => appender.questionsKept?.())
    for (const append of batch) {
      this.#committed(append)
      append.receipt?.kept()
    }
    for (const appender of appendersOf(batch)) this.#guarded(appender, endTurn)
    for (const appender of indexed) this.#guarded(appender, () => appender.indexed?.())
    if (lost.size > 0) {
      this.#break(
        taken.filter(({ runId }) => lost.has(runId)),
        (runId) =>
          refused.has(runId)
            ? storeFailure(runId, 'The store did not take the journal', refused.get(runId))
            : new LeaseLostError(runId),
        [...changes].flatMap(([appender, { runId }]) => (lost.has(runId) ? appender : [])),
      )
    }
    this.#next()
  }

  /** Entries that an accepted answer has overtaken wait again, ahead of all others. Gives their runs. */
  #overtaken({ entries: taken, changes }: Batch, answers: readonly QueuedSignal[]): ReadonlySet<string> {
    if (answers.length === 0) return nothing
    for (const answer of answers) {
      const append = taken.find(({ runId }) => runId === answer.runId)
      if (append !== undefined) this.#noteAnswer(append.appender, answer)
    }
    const overtaken = new Set(answers.map(({ runId }) => runId))
    for (const [appender, { runId }] of changes) {
      if (!overtaken.has(runId)) continue
      this.#stale.add(appender)
      for (const answer of answers) if (answer.runId === runId) this.#noteAnswer(appender, answer)
    }
    this.#waiting = [...taken.filter(({ runId }) => overtaken.has(runId)), ...this.#waiting]
    return overtaken
  }

  #refuse({ entries, changes }: Batch, cause: unknown): void {
    const errorOf = (runId: string): TroupeError =>
      storeFailure(runId, 'The store did not take the journal', cause)
    this.#break(entries, errorOf, [...changes.keys()])
    this.#next()
  }

  /** `indexing`: runs without an entry among the refused whose questions were refused. */
  #break(
    refused: readonly Append[],
    errorOf: (runId: string) => TroupeError,
    indexing: readonly Appender[] = [],
  ): void {
    if (refused.length + indexing.length === 0) return
    this.#giveUp(new Set([...appendersOf(refused), ...indexing]), errorOf)
    for (const { runId, receipt } of refused) receipt?.refused(errorOf(runId))
  }

  /** Ends these runs here. Their entries that wait are dropped: an entry before them may be missing. */
  #giveUp(appenders: ReadonlySet<Appender>, errorOf: (runId: string) => unknown): void {
    for (const appender of appenders) appender.broke(errorOf(appender.lease.runId))
    for (const appender of appenders) {
      this.#answers.delete(appender)
      this.#stale.delete(appender)
    }
    const dropped = this.#waiting.filter(({ appender }) => appenders.has(appender))
    this.#waiting = this.#waiting.filter(({ appender }) => !appenders.has(appender))
    for (const { runId, receipt } of dropped) receipt?.refused(errorOf(runId))
  }

  /** A fault in one run must not stop the others. */
  /** As `#guarded`: there is an entry for each step of a run, and it costs no function. */
  #committed({ appender, entry }: Append): void {
    try {
      appender.committed(entry)
    } catch (error) {
      this.#giveUp(new Set([appender]), () => error)
    }
  }

  #guarded(appender: Appender, act: (appender: Appender) => void): void {
    try {
      act(appender)
    } catch (error) {
      this.#giveUp(new Set([appender]), () => error)
    }
  }

  #next(): void {
    if (this.#waiting.length + this.#answers.size + this.#stale.size === 0) {
      this.#isFlushing = false
      this.#flushed?.resolve()
      this.#flushed = undefined
    } else this.#schedule()
  }
}

/** Refuses after the call: the caller is in the middle of a transition. */
function refuseClosed(appender: Appender, receipt: Receipt | undefined): void {
  const error = closedError(appender.lease.runId)
  soon(() => {
    appender.broke(error)
    receipt?.refused(error)
  })
}

/** A store may return any value: `() => list.push(entry)` is one too. */
export function lostOf(report: unknown): readonly string[] {
  const lost: unknown = (report as { readonly lost?: unknown } | null | undefined)?.lost
  return Array.isArray(lost) ? (lost as readonly string[]) : []
}

/** The runs that have refused their entries, with the error of each. */
export function refusedOf(report: unknown): ReadonlyMap<string, unknown> {
  const refused: unknown = (report as { readonly refused?: unknown } | null | undefined)?.refused
  if (!Array.isArray(refused)) return nobodyRefused
  return new Map((refused as NonNullable<AppendReport['refused']>).map(({ runId, error }) => [runId, error]))
}

const nobodyRefused: ReadonlyMap<string, unknown> = new Map()

function answeredOf(report: unknown): readonly QueuedSignal[] {
  const answered: unknown = (report as { readonly answered?: unknown } | null | undefined)?.answered
  return Array.isArray(answered) ? (answered as readonly QueuedSignal[]) : []
}

/** A store may return any value that is no promise. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function appendersOf(batch: readonly Append[]): Iterable<Appender> {
  return batch.length === 1
    ? [(batch[0] as Append).appender]
    : new Set(batch.map((append) => append.appender))
}
