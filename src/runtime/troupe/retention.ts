/** Deletes old ended runs, threads and bytes of callers, in small slices in the background. */
import { systemClock } from '../clock.ts'
import { milliseconds, positiveInteger } from '../../actors/strict/checks.ts'
import { anObject, optional, type Fields, type Reader } from '../../actors/strict/read-options.ts'
import { ConfigurationError, StoreError } from '../../errors.ts'
import { callerTime, type BlobExpiry, type BlobStorage } from '../files/blob-storage.ts'
import { noContext } from '../async-context.ts'
import type { Clock } from '../clock.ts'
import { nextTurn, type Environment } from '../environment.ts'
import type { Expiry } from '../journal/run-index.ts'
import { deleteRunOf } from '../schedules/delete-run.ts'
import type { Store } from '../journal/store.ts'
import type { Reporter } from '../report.ts'
import { answered } from '../store-outage.ts'
import { missingPort } from '../missing-port.ts'

/** What stays: those that meet either limit are deleted. */
export interface RetentionLimits {
  /** Milliseconds since the last change. Default: no limit. */
  readonly age?: number
  /** How many of the newest stay. Default: all. */
  readonly number?: number
}

/** What a troupe deletes by itself. Default of each part: nothing. */
export interface Retention {
  /** Ended runs, as `troupe.delete` deletes them. An unfinished run is never deleted, and counts for no limit. */
  readonly runs?: RetentionLimits
  /** Threads, with their messages. A thread that an unfinished run begins with stays. */
  readonly threads?: RetentionLimits
  /**
   * Bytes that `troupe.blobs.put` stored, and that no run and no thread names; and after an hour at the earliest the files
   * of runs whose process ended before they began. Only `age` applies.
   */
  readonly blobs?: Required<Pick<RetentionLimits, 'age'>>
  /** The notes of agents about resources (working memory), by when they were last written. */
  readonly workingMemory?: RetentionLimits
  /** Schedules that have ended, by when they ended. The same schedule begins anew where it is made again by then. */
  readonly schedules?: RetentionLimits
}

const limitFields: Fields<RetentionLimits> = {
  age: optional(milliseconds),
  number: optional(positiveInteger),
}

const someLimit: Reader = (given, where) => {
  const limits = anObject(limitFields)(given, where)
  if (limits.age !== undefined || limits.number !== undefined) return limits
  throw new ConfigurationError(`${where} must have an age, a number, or both.`)
}

const anAge: Reader = (given, where) => {
  const limits = anObject<Pick<RetentionLimits, 'age'>>({ age: optional(milliseconds) })(given, where)
  if (limits.age !== undefined) return limits
  throw new ConfigurationError(`${where} must have an age.`)
}

export const retentionFields: Fields<Retention> = {
  runs: optional(someLimit),
  threads: optional(someLimit),
  blobs: optional(anAge),
  workingMemory: optional(someLimit),
  schedules: optional(someLimit),
}

/** The most runs, threads or blobs that one slice deletes. */
const slice = 20

/** Milliseconds between two passes over the store; a slice that is full is followed by the next at once. */
const pause = 60_000

export interface RetentionHost {
  readonly store: Store
  readonly environment: Environment
  /** The clock of the runs: times in the index are by it. */
  readonly clock: Clock
  readonly report: Reporter
  readonly isOpen: boolean
  /** Milliseconds in which the store must answer. */
  readonly leaseTtl: number
  awaitBeforeClose(work: Promise<unknown>): void
}

/** Their ids may name a person, and are in no message. */
const leftNames = { threadId: 'a thread', resourceId: 'a note' } as const

export class RetentionPasses {
  readonly #host: RetentionHost
  readonly #retention: Retention
  /** The ids of what cannot be deleted, because what is stored of it is damaged. */
  readonly #damaged = { runs: new Set<string>(), threads: new Set<string>() }
  #callOff: () => void = () => undefined

  /** Throws a `ConfigurationError` for a part that the store cannot delete. */
  constructor(host: RetentionHost, retention: Retention) {
    this.#host = host
    this.#retention = retention
    const { blobs, memory } = host.store
    if (retention.blobs !== undefined && blobs?.release === undefined)
      throw missingPort('createTroupe: retention.blobs needs', 'blobs.release')
    if (retention.threads !== undefined && memory === undefined)
      throw missingPort('createTroupe: retention.threads needs', 'memory')
    if (retention.workingMemory !== undefined && memory?.removeNotes === undefined)
      throw missingPort('createTroupe: retention.workingMemory needs', 'memory.removeNotes')
    if (retention.schedules !== undefined && host.store.schedules === undefined)
      throw missingPort('createTroupe: retention.schedules needs', 'schedules')
    this.#schedule(0)
  }

  stop(): void {
    this.#callOff()
  }

  #schedule(delay: number): void {
    const { clock } = this.#host.environment
    this.#callOff = noContext.run(() => clock.after(delay, () => this.#begin(), { background: true }))
  }

  #begin(): void {
    const host = this.#host
    if (!host.isOpen) return
    const pass = this.#slice().then(
      (isMore) => this.#again(isMore ? 1 : pause),
      (error: unknown) => {
        if (host.isOpen)
          host.report({
            message: 'the retention could not delete; trying again',
            code: 'RETENTION_FAILED',
            where: 'store',
            error,
          })
        this.#again(pause)
      },
    )
    host.awaitBeforeClose(pass)
  }

  /** A closing troupe waits for the pass, and no call keeps it from its end. */
  #ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const { environment, leaseTtl } = this.#host
    return answered(environment.clock, leaseTtl, call)
  }

  #again(delay: number): void {
    if (this.#host.isOpen) this.#schedule(delay)
  }

  /** Deletes one slice. Whether there may be more. */
  async #slice(): Promise<boolean> {
    const { runs, threads, blobs, workingMemory, schedules } = this.#retention
    const parts = [
      runs === undefined ? 0 : await this.#deleteRuns(runs),
      threads === undefined ? 0 : await this.#deleteThreads(threads),
      blobs === undefined ? 0 : await this.#expireBlobs(blobs, this.#host.store.blobs),
      workingMemory === undefined ? 0 : await this.#deleteNotes(workingMemory),
      schedules === undefined ? 0 : await this.#deleteSchedules(schedules),
    ]
    return parts.some((count) => count >= slice)
  }

  async #deleteRuns(limits: RetentionLimits): Promise<number> {
    const { store } = this.#host
    const damaged = this.#damaged.runs
    const { items } = await store.list('endedRuns', this.#expiry(limits, damaged))
    return this.#deleteEach('runId', items, damaged, (id) => deleteRunOf(this.#host, id))
  }

  async #deleteThreads(limits: RetentionLimits): Promise<number> {
    const { store } = this.#host
    const damaged = this.#damaged.threads
    const condition = { unusedSince: this.#host.clock.now() }
    const { items } = await store.list('unusedThreads', this.#expiry(limits, damaged))
    return this.#deleteEach('threadId', items, damaged, (id) =>
      this.#ask(async () => store.memory?.remove({ threadId: id, ...condition })),
    )
  }

  /** By the clock of the process, as the store notes when they were written. */
  async #deleteNotes(limits: RetentionLimits): Promise<number> {
    const { memory } = this.#host.store
    const now = systemClock.now()
    const expiry = this.#expiry(limits, new Set(), now)
    const items = (await this.#ask(async () => memory?.oldNotes?.(expiry))) ?? []
    return this.#deleteEach('resourceId', items, new Set(), (id) =>
      this.#ask(async () => memory?.removeNotes?.(id, now)),
    )
  }

  async #deleteSchedules(limits: RetentionLimits): Promise<number> {
    const { schedules } = this.#host.store
    const keys = (await this.#ask(async () => schedules?.ended(this.#expiry(limits, new Set())))) ?? []
    for (const key of keys) {
      if (!this.#host.isOpen) return 0
      await this.#ask(async () => schedules?.remove(key))
      await nextTurn(this.#host.environment)
    }
    return keys.length
  }

  async #expireBlobs({ age }: { readonly age: number }, blobs: BlobStorage | undefined): Promise<number> {
    const now = systemClock.now()
    const expired = await this.#release(blobs, { of: 'puts', before: now - age, limit: slice })
    // A run may take its time to begin, however short the age of callers' bytes is.
    const begunBy = now - Math.max(age, callerTime)
    const unbegun = await this.#release(blobs, { of: 'holders', before: begunBy, limit: slice })
    return Math.max(expired, unbegun)
  }

  async #release(blobs: BlobStorage | undefined, expiry: BlobExpiry): Promise<number> {
    return (await this.#ask(async () => blobs?.release?.(expiry))) ?? 0
  }

  /** One transaction each, so that runs go on between two. How many were tried: one that is damaged is left. */
  async #deleteEach(
    what: 'runId' | keyof typeof leftNames,
    ids: readonly string[],
    damaged: Set<string>,
    remove: (id: string) => Promise<unknown>,
  ): Promise<number> {
    const chosen = ids.filter((id) => !damaged.has(id))
    for (const id of chosen) {
      if (!this.#host.isOpen) return 0
      try {
        await remove(id)
      } catch (error) {
        if (!isDamage(error)) throw error
        damaged.add(id)
        const named = what === 'runId' ? `the run "${id}"` : leftNames[what]
        const message = `the retention leaves ${named}, which is damaged`
        this.#host.report({ message, code: 'RETENTION_LEFT_DAMAGED', where: 'store', error, [what]: id })
      }
      await nextTurn(this.#host.environment)
    }
    return chosen.length
  }

  /** With room for those that are passed over. */
  #expiry(
    { age, number }: RetentionLimits,
    damaged: ReadonlySet<string>,
    now = this.#host.clock.now(),
  ): Expiry {
    return {
      ...(age === undefined ? {} : { before: now - age }),
      ...(number === undefined ? {} : { keep: number }),
      limit: slice + damaged.size,
    }
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_CORRUPT'
}
