/**
 * Append, then deliver. What the runs of a troupe append within one turn goes to the store as one transaction;
 * nothing is delivered before the store has taken it, and everything is delivered in the order of the journal.
 */
import { LeaseLostError, type TroupeError } from '../../errors.ts'
import type { JournalEntry } from './journal.ts'
import { closedError, storeFailure } from './lost-run.ts'
import type { AppendReport, JournalAppend, Lease, QueuedSignal, RunStore } from './store.ts'

/** Who is told that its entry is durable. */
export interface Appender {
  /** The right to append. */
  readonly lease: Lease
  committed(entry: JournalEntry): void
  /** All entries of one transaction are delivered. */
  turnEnded(): void
  /**
   * Answers were accepted by the store before `waiting` was durable. Gives what is appended instead: the answers come
   * first.
   */
  overtaken(answers: readonly QueuedSignal[], waiting: readonly Draft[]): readonly Draft[]
  /** The store refused, or another has taken the run, and nothing of it was kept; or a delivery threw, by a fault of ours. */
  broke(error: unknown): void
}

/** Is told what became of one entry. */
export interface Receipt {
  /** It is durable. */
  kept(): void
  /** It is not, and never will be. */
  refused(error: unknown): void
}

export interface AppendOptions {
  /** The id of the queued signal that the entry comes from. */
  readonly queued?: number
  readonly receipt?: Receipt
}

/** An entry on its way to the store. */
export interface Draft extends AppendOptions {
  readonly entry: JournalEntry
}

interface Append extends JournalAppend, Draft {
  readonly appender: Appender
}

export class Committer {
  readonly #store: Pick<RunStore, 'append' | 'schedule'>
  #waiting: Append[] = []
  /** Accepted answers that are not appended yet. */
  #answers = new Map<Appender, QueuedSignal[]>()
  #isFlushing = false
  #isClosed = false
  #flushed: PromiseWithResolvers<void> | undefined

  constructor(store: Pick<RunStore, 'append' | 'schedule'>) {
    this.#store = store
  }

  /** After `close` it is refused. */
  append(appender: Appender, entry: JournalEntry, options: AppendOptions = {}): void {
    if (this.#isClosed) return refuseClosed(appender, options.receipt)
    this.#waiting.push(appendOf(appender, { ...options, entry }))
    this.#begin()
  }

  /** An answer that the store has accepted: it comes before whatever of its run is not durable yet. */
  answered(appender: Appender, answer: QueuedSignal): void {
    if (this.#isClosed) return // it is for the next owner
    this.#noteAnswer(appender, answer)
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

  #schedule(): void {
    const flush = (): void => this.#flush()
    if (this.#store.schedule === undefined) queueMicrotask(flush)
    else this.#store.schedule(flush)
  }

  /** When everything that was appended so far is delivered. */
  async flushed(): Promise<void> {
    if (!this.#isFlushing) return
    this.#flushed ??= Promise.withResolvers()
    return this.#flushed.promise
  }

  /** Resolves when everything that was appended is delivered, and what that led to: from then on nothing is taken. */
  async close(): Promise<void> {
    while (this.#isFlushing) await this.flushed()
    this.#isClosed = true
  }

  #flush(): void {
    this.#putAnswersFirst()
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length === 0) return this.#next()
    let stored: AppendReport | void | Promise<AppendReport | void>
    try {
      stored = this.#store.append(batch)
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

  /** Everything that was durable is delivered: the answers meet the run as the journal has it. */
  #putAnswersFirst(): void {
    for (const [appender, answers] of this.#answers) {
      const isMine = (append: Append): boolean => append.appender === appender
      let drafts: readonly Draft[] = []
      this.#guarded(appender, () => {
        drafts = appender.overtaken(answers, this.#waiting.filter(isMine))
      })
      const others = this.#waiting.filter((append) => !isMine(append))
      this.#waiting = [...drafts.map((draft) => appendOf(appender, draft)), ...others]
    }
    this.#answers.clear()
  }

  #deliver(taken: readonly Append[], report: AppendReport | void): void {
    const lost = new Set(lostOf(report))
    const overtaken = this.#overtaken(taken, answeredOf(report))
    const batch =
      lost.size + overtaken.size === 0
        ? taken
        : taken.filter(({ runId }) => !lost.has(runId) && !overtaken.has(runId))
    for (const { appender, entry, receipt } of batch) {
      this.#guarded(appender, () => appender.committed(entry))
      receipt?.kept()
    }
    for (const appender of appendersOf(batch)) this.#guarded(appender, () => appender.turnEnded())
    this.#break(
      taken.filter(({ runId }) => lost.has(runId)),
      (runId) => new LeaseLostError(runId),
    )
    this.#next()
  }

  /** What an accepted answer has overtaken waits again, ahead of all else. Gives the runs. */
  #overtaken(taken: readonly Append[], answers: readonly QueuedSignal[]): ReadonlySet<string> {
    if (answers.length === 0) return new Set()
    for (const answer of answers) {
      const append = taken.find(({ runId }) => runId === answer.runId)
      if (append !== undefined) this.#noteAnswer(append.appender, answer)
    }
    const overtaken = new Set(answers.map(({ runId }) => runId))
    this.#waiting = [...taken.filter(({ runId }) => overtaken.has(runId)), ...this.#waiting]
    return overtaken
  }

  #refuse(batch: readonly Append[], cause: unknown): void {
    this.#break(batch, (runId) => storeFailure(runId, 'The store did not take the journal', cause))
    this.#next()
  }

  #break(refused: readonly Append[], errorOf: (runId: string) => TroupeError): void {
    if (refused.length === 0) return
    this.#giveUp(new Set(appendersOf(refused)), errorOf)
    for (const { runId, receipt } of refused) receipt?.refused(errorOf(runId))
  }

  /** These go on here no more. Their entries that wait are dropped: an entry before them may be missing. */
  #giveUp(appenders: ReadonlySet<Appender>, errorOf: (runId: string) => unknown): void {
    for (const appender of appenders) appender.broke(errorOf(appender.lease.runId))
    for (const appender of appenders) this.#answers.delete(appender)
    const dropped = this.#waiting.filter(({ appender }) => appenders.has(appender))
    this.#waiting = this.#waiting.filter(({ appender }) => !appenders.has(appender))
    for (const { runId, receipt } of dropped) receipt?.refused(errorOf(runId))
  }

  /** A fault in one run must not stop the others. */
  #guarded(appender: Appender, act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#giveUp(new Set([appender]), () => error)
    }
  }

  #next(): void {
    if (this.#waiting.length === 0 && this.#answers.size === 0) {
      this.#isFlushing = false
      this.#flushed?.resolve()
      this.#flushed = undefined
    } else this.#schedule()
  }
}

/** Not within the call: what appends is in the middle of a transition. */
function refuseClosed(appender: Appender, receipt: Receipt | undefined): void {
  const error = closedError(appender.lease.runId)
  queueMicrotask(() => {
    appender.broke(error)
    receipt?.refused(error)
  })
}

/** A store may give back anything: `() => list.push(entry)` is one too. */
export function lostOf(report: unknown): readonly string[] {
  const lost: unknown = (report as { readonly lost?: unknown } | null | undefined)?.lost
  return Array.isArray(lost) ? (lost as readonly string[]) : []
}

function answeredOf(report: unknown): readonly QueuedSignal[] {
  const answered: unknown = (report as { readonly answered?: unknown } | null | undefined)?.answered
  return Array.isArray(answered) ? (answered as readonly QueuedSignal[]) : []
}

function appendOf(appender: Appender, draft: Draft): Append {
  const { lease } = appender
  return { ...draft, appender, runId: lease.runId, lease }
}

/** A store may give back anything that is no promise. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function appendersOf(batch: readonly Append[]): Iterable<Appender> {
  return batch.length === 1
    ? [(batch[0] as Append).appender]
    : new Set(batch.map((append) => append.appender))
}
