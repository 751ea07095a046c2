/**
 * Erases a resource: its runs with all that comes from them, its threads, its messages in other threads, and its notes. It works
 * in slices, and anew from what it finds: a call after a crash, or beside another one, goes on where that one was.
 */
import { aName, aText, notNegative } from '../../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { RunNotFoundError, StoreError, TroupeClosedError } from '../../errors.ts'
import type { LeftWork } from '../../machines/contract/events.ts'
import { cannotGoOn } from '../cannot-go-on.ts'
import { nextTurn, type Environment } from '../environment.ts'
import type { Clock } from '../clock.ts'
import type { RunSignal } from '../handle/run.ts'
import type { JournalEntry } from '../journal/journal.ts'
import { leftWork } from '../journal/left-work.ts'
import type { RunFilter, RunSummary } from '../journal/run-index.ts'
import { deleteRun } from '../journal/run-notes.ts'
import type { Store } from '../journal/store.ts'
import type { Reporter } from '../report.ts'
import type { EraseOptions, Erasure, ErasureLeft } from './erasure-report.ts'
import { appendForcedEnd, readable } from './forced-end.ts'

/** What an erasure needs of a troupe, or of the runs of a store. */
export interface ErasingHost {
  readonly store: Store
  readonly clock: Clock
  readonly environment: Environment
  readonly report: Reporter
  /** Claims runs that it ends by force. */
  readonly owner: string
  readonly closing: AbortSignal
  /** Tells a run to end. */
  cancel(runId: string): Promise<void>
  /** The run was ended by force: this process goes on with it no more. */
  forget(runId: string): Promise<void>
}

const fields = {
  by: optional(aText),
  deadline: withDefault(notNegative, 10_000),
} satisfies Fields<EraseOptions>

/** The cancel of an erasure. */
export function erasing(): RunSignal {
  return { type: 'cancel', reason: 'The resource of this run is erased.' }
}

/** Throws a `ConfigurationError`. */
export async function eraseResource(
  host: ErasingHost,
  resourceId: string,
  given: EraseOptions = {},
): Promise<Erasure> {
  aName(resourceId, 'eraseResource: resourceId')
  const { by, deadline } = {
    ...defaultsOf(fields),
    ...readOptions<EraseOptions>(given, 'eraseResource', fields),
  }
  const eraser = new Eraser(host, resourceId, deadline)
  // Schedules first: they start no run from then on.
  await eraser.eraseSchedules()
  // Then runs: from then on nothing of them is written, and what they wrote before is found.
  await eraser.eraseRuns()
  await eraser.eraseThreads()
  await eraser.eraseMessages()
  await eraser.eraseNotes()
  const { left } = eraser
  const { runs, threads, messages, notes, schedules } = eraser
  const at = host.clock.now()
  return {
    resourceId,
    ...(by === undefined ? {} : { by }),
    at,
    erased: { runs, threads, messages, notes, schedules },
    left,
  }
}

/** Runs of a page, which are ended together. */
const pageSize = 50

/** Milliseconds between two looks whether a run has ended. */
const looks = { first: 5, longest: 250 }

/** Milliseconds for which a run is held for its end by force. */
const holdTime = 30_000

class Eraser {
  runs = 0
  threads = 0
  messages = 0
  notes = false
  schedules = 0
  readonly left: ErasureLeft[] = []
  readonly #host: ErasingHost
  readonly #resourceId: string
  readonly #deadline: number
  /** The runs that cannot be deleted. */
  readonly #damaged = new Set<string>()
  /** Threads of runs that were given another resource, and are of that run alone. */
  readonly #ownThreads = new Set<string>()

  constructor(host: ErasingHost, resourceId: string, deadline: number) {
    this.#host = host
    this.#resourceId = resourceId
    this.#deadline = deadline
  }

  async eraseSchedules(): Promise<void> {
    const { schedules } = this.#host.store
    if (schedules === undefined) return
    for (;;) {
      this.#assertOpen()
      const { items } = await schedules.list({ resourceId: this.#resourceId, limit: pageSize })
      const keys = items.flatMap(({ key, resourceId }) => (resourceId === this.#resourceId ? [key] : []))
      if (keys.length === 0) return
      for (const key of keys) if (await schedules.remove(key)) this.schedules++
      await nextTurn(this.#host.environment)
    }
  }

  /** Page by page, until a whole pass finds none: runs may begin meanwhile. */
  async eraseRuns(): Promise<void> {
    const { store } = this.#host
    let isAgain = true
    while (isAgain) {
      isAgain = false
      let before: string | undefined
      do {
        this.#assertOpen()
        const page = await store.list('runs', {
          resourceId: this.#resourceId,
          limit: pageSize,
          ...(before === undefined ? {} : { before }),
        })
        const ofResource = page.items.filter(({ resourceId }) => resourceId === this.#resourceId)
        const gone = await this.#erase(ofResource)
        isAgain ||= gone > 0
        before = page.next
      } while (before !== undefined)
    }
  }

  /** Those that come from a run go before it: after a crash they would not be found. Returns how many are gone. */
  async #erase(found: readonly RunSummary[]): Promise<number> {
    const known = new Map(found.map((run) => [run.runId, run]))
    for (;;) {
      const all = [...known.values()]
      await Promise.all(all.map((run) => this.#end(run)))
      const size = known.size
      for (const run of all) {
        for (const one of await this.#comingFrom(run.runId))
          if (!known.has(one.runId)) known.set(one.runId, one)
        await nextTurn(this.#host.environment)
      }
      if (known.size === size) break
    }
    let gone = 0
    for (const run of [...known.values()].toReversed()) if (await this.#delete(run)) gone++
    return gone
  }

  /** Forks of a run, and the runs within its calls. */
  async #comingFrom(runId: string): Promise<readonly RunSummary[]> {
    const forks = await this.#all({ forkedFrom: runId })
    const nested = await this.#all({ nestedIn: runId })
    // A store of others may not know these filters.
    return [
      ...forks.filter((one) => one.forkedFrom === runId),
      ...nested.filter((one) => one.nestedIn === runId),
    ]
  }

  async #all(filter: RunFilter): Promise<readonly RunSummary[]> {
    const { items } = await this.#host.store.list('runs', filter)
    return items
  }

  async #end({ runId, status }: RunSummary): Promise<void> {
    if (status === 'settled' || this.#damaged.has(runId)) return
    try {
      if (await this.#endsItself(runId)) return
      await this.#endByForce(runId)
    } catch (error) {
      if (error instanceof RunNotFoundError) return
      if (!isDamage(error)) throw error
      this.#leave(runId)
    }
  }

  /** Whether the run has ended by a cancel within the deadline. */
  async #endsItself(runId: string): Promise<boolean> {
    const { clock } = this.#host.environment
    const { promise: late, resolve } = Promise.withResolvers<'late'>()
    const callOff = clock.after(this.#deadline, () => resolve('late'))
    try {
      if ((await Promise.race([this.#tell(runId), late])) === 'late') return false
      for (let pause = looks.first; ; pause = Math.min(2 * pause, looks.longest)) {
        this.#assertOpen()
        const [run] = (await this.#host.store.list('runs', { runId, limit: 1 })).items
        if (run === undefined || run.status === 'settled') return true
        const next = Promise.withResolvers<undefined>()
        const stop = clock.after(pause, () => next.resolve(undefined))
        const isLate = (await Promise.race([next.promise, late])) === 'late'
        stop()
        if (isLate) return false
      }
    } catch (error) {
      if (cannotGoOn(error)) return false
      throw error
    } finally {
      callOff()
    }
  }

  /** A run that could not be told may end all the same: another has told it, or it was about to end. */
  async #tell(runId: string): Promise<void> {
    try {
      await this.#host.cancel(runId)
    } catch (error) {
      this.#assertOpen()
      if (cannotGoOn(error) || error instanceof RunNotFoundError || isDamage(error)) throw error
      const message = `the run "${runId}" could not be cancelled; it is ended by force`
      this.#host.report({ message, code: 'RUN_NOT_CANCELLED', where: 'run', error, runId })
    }
  }

  /** Takes the run from whichever process has it, and ends it: from then on the appends of that process are refused. */
  async #endByForce(runId: string): Promise<void> {
    this.#assertOpen()
    const { store, clock, environment, owner } = this.#host
    const now = environment.clock.now()
    // Each lease that has not expired ends after the time 0, and may be taken.
    const lease = await store.claim(runId, `${owner}/erasure`, now, now + holdTime, 0, false)
    if (lease === undefined) return // deleted by another
    const journal = async (): Promise<readonly JournalEntry[]> => {
      const entries = await store.read(runId)
      if (entries === undefined) throw new RunNotFoundError(runId)
      return entries
    }
    await appendForcedEnd({ store, clock, journal }, lease, 'erased')
    await this.#host.forget(runId)
  }

  /** Whether the run is gone by this call. */
  async #delete({ runId, threadId, resourceId }: RunSummary): Promise<boolean> {
    if (this.#damaged.has(runId)) return false
    this.#assertOpen()
    try {
      const work = await this.#workLeftOf(runId)
      const outcome = await deleteRun(this.#host.store, runId, true)
      await this.#host.forget(runId)
      if (outcome !== 'deleted') return false
      for (const one of work) this.left.push({ ...one, why: 'not-told', runId })
      if (resourceId !== this.#resourceId && threadId?.startsWith(`${runId}/`) === true)
        this.#ownThreads.add(threadId)
      this.runs++
      return true
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#leave(runId)
      return false
    } finally {
      await nextTurn(this.#host.environment)
    }
  }

  /** Of a run that was cancelled: tasks and calls without an end. */
  async #workLeftOf(runId: string): Promise<readonly LeftWork[]> {
    const { store } = this.#host
    const [run] = (await store.list('runs', { runId, limit: 1 })).items
    if (run?.outcome !== 'cancelled') return []
    return leftWork((await readable(store.read(runId))) ?? [])
  }

  async eraseThreads(): Promise<void> {
    const { memory } = this.#host.store
    if (memory === undefined) return
    const owned = await memory.threads({ resourceId: this.#resourceId })
    const ids = owned.flatMap(({ id, resourceId }) => (resourceId === this.#resourceId ? id : []))
    for (const threadId of new Set([...ids, ...this.#ownThreads])) {
      this.#assertOpen()
      await this.#ofThread(threadId, async () => {
        await memory.remove({ threadId, atOnce: true })
        this.threads++
      })
    }
  }

  async eraseMessages(): Promise<void> {
    const { memory } = this.#host.store
    if (memory === undefined) return
    if (memory.removeMessages === undefined) {
      this.left.push({ kind: 'messages', why: 'store-lacks-port' })
      return
    }
    for (const { id: threadId } of await memory.threads({ messagesOf: this.#resourceId })) {
      this.#assertOpen()
      await this.#ofThread(threadId, async () => {
        const count = (await memory.removeMessages?.(threadId, this.#resourceId)) ?? 0
        this.messages += count
        for (const { runId } of await this.#all({ threadId }))
          this.left.push({ kind: 'run', why: 'shared-thread', runId, threadId })
      })
    }
  }

  async #ofThread(threadId: string, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.left.push({ kind: 'thread', why: 'damaged', threadId })
    }
    await nextTurn(this.#host.environment)
  }

  async eraseNotes(): Promise<void> {
    const { memory } = this.#host.store
    if (memory === undefined) return
    this.#assertOpen()
    if (memory.removeNotes !== undefined) {
      this.notes = await memory.removeNotes(this.#resourceId)
      return
    }
    if ((await memory.workingMemory(this.#resourceId)) === undefined) return
    await memory.workingMemory(this.#resourceId, '')
    this.left.push({ kind: 'notes', why: 'store-lacks-port' })
  }

  #leave(runId: string): void {
    if (this.#damaged.has(runId)) return
    this.#damaged.add(runId)
    this.left.push({ kind: 'run', why: 'damaged', runId })
  }

  #assertOpen(): void {
    if (this.#host.closing.aborted) throw new TroupeClosedError()
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'STORE_CORRUPT'
}
