/**
 * Follows a run that is live in no handle of this process: a read-only replay, fed from the journal in the store. All
 * readers of the run share it. It takes no lease, and appends nothing.
 */
import { RunNotFoundError, type JournalMismatch } from '../../errors.ts'
import { noContext } from '../async-context.ts'
import type { RunRegistry } from '../agents/run-registry.ts'
import type { AgentRegistry } from '../definition/registry.ts'
import { RunState } from '../state/run-state.ts'
import { nextTurn, type Environment } from '../environment.ts'
import { EventLog } from '../handle/event-log.ts'
import type { RunEvent } from '../handle/run-event.ts'
import type { InterpreterName } from '../interpreter/interpreter.ts'
import { startedOf, type JournalEntry, type RunStarted } from '../journal/journal.ts'
import { closedError, lostRun, storeFailure } from '../journal/lost-run.ts'
import type { RunStore } from '../journal/store.ts'
import { quietly } from '../quietly.ts'
import { deliverTolerant, mismatchBeforeForcedEnd, passOver } from '../replay/deliver-journal.ts'
import { recordInPlaceOf, tellRecord } from '../replay/ended-record.ts'
import { registryHere } from '../replay/registry-here.ts'
import type { Reporter } from '../report.ts'
import { StoreOutage } from '../store-outage.ts'

export interface FollowerOptions {
  readonly registry: AgentRegistry
  readonly store: Pick<RunStore, 'read' | 'list'>
  readonly environment: Environment
  /** Milliseconds between two reads of the journal. */
  readonly pollInterval: number
  /** Milliseconds that the store may fail before readers are rejected. */
  readonly leaseTtl: number
  readonly report: Reporter
  readonly interpreter?: InterpreterName | undefined
}

/** The number of entries that are delivered before other work of the process gets its turn. */
const slice = 50

export class RunFollower {
  readonly runId: string
  readonly log: EventLog = new FollowedLog()
  /** The first effect whose input differs from the recorded one: the agents have changed. */
  diverged: JournalMismatch | undefined
  /** The error for which the run cannot be followed. */
  failure: Error | undefined
  /** Settles when the follower is dropped, and reads no more. */
  readonly done: Promise<void>
  readonly #options: FollowerOptions
  readonly #outage: StoreOutage
  readonly #found = quietly<void>()
  #state: RunState | undefined
  #isDropped = false
  /** The journal has grown while it was read. */
  #hasGrown = false
  #wake: () => void = () => undefined
  /** Leaves the read that is under way. */
  #leaveRead: () => void = () => undefined

  constructor(runId: string, options: FollowerOptions) {
    this.runId = runId
    this.#options = options
    this.#outage = new StoreOutage(options.environment.clock, options.leaseTtl)
    this.done = noContext.run(() => this.#follow())
  }

  /** Resolves when the run was found, with its agents; rejects with the error for which it cannot be followed. */
  get found(): Promise<void> {
    return this.#found.promise
  }

  get isDropped(): boolean {
    return this.#isDropped
  }

  /** Reads the journal now. */
  look(): void {
    this.#hasGrown = true
    this.#wake()
  }

  /** A reader has left: without any the follower is dropped. A run that is still being looked for is found first. */
  release(): void {
    if (this.#state !== undefined && !this.log.hasObservers) this.drop()
  }

  drop(): void {
    this.#isDropped = true
    this.#leaveRead()
    this.#wake()
  }

  async #follow(): Promise<void> {
    try {
      while (!this.#isDropped) {
        this.#hasGrown = false
        await this.#read()
        if (this.log.hasEnded) this.#isDropped = true
        else if (!this.#isDropped) await this.#pause()
        this.release() // also one that was opened, and that no reader came to
      }
      this.#found.reject(closedError(this.runId)) // unless it was found
    } catch (error) {
      this.failure = error instanceof Error ? error : lostRun(this.runId, error)
      this.#isDropped = true
      this.#found.reject(error)
      this.log.end()
    }
  }

  async #read(): Promise<void> {
    const { report } = this.#options
    const { runId } = this
    let entries: readonly JournalEntry[] | undefined
    try {
      entries = await this.#entries()
      this.#outage.succeeded()
    } catch (error) {
      if (this.#outage.failed()) throw storeFailure(runId, 'The store did not give the journal', error)
      report({
        message: 'the store could not be asked for a run; trying again',
        code: 'RUN_POLL_FAILED',
        where: 'store',
        error,
        runId,
      })
      return
    }
    if (this.#isDropped) return
    if (entries === undefined) throw new RunNotFoundError(runId)
    await this.#deliver(entries)
    if (await this.#isListed()) this.log.release()
  }

  /** The owner of the run writes its questions into the index after the entry that has led to them. */
  async #isListed(): Promise<boolean> {
    const state = this.#state
    if (state === undefined || state.isSettled || !state.isSuspended) return true
    const { store, report } = this.#options
    const { runId } = this
    try {
      const { items } = await store.list('questions', { runId })
      const listed = new Set(items.map(({ toolCallId }) => toolCallId))
      return state.awaiting().every(({ toolCallId }) => listed.has(toolCallId))
    } catch (error) {
      report({
        message: 'the store could not be asked for questions; trying again',
        code: 'QUESTIONS_POLL_FAILED',
        where: 'store',
        error,
        runId,
      })
      return false
    }
  }

  /** The entries after those that were delivered. A follower that is dropped does not wait for them. */
  #entries(): Promise<readonly JournalEntry[] | undefined> {
    const { store } = this.#options
    return new Promise((resolve, reject) => {
      this.#leaveRead = () => resolve(undefined)
      const read = async () => store.read(this.runId, this.#state?.delivered ?? 0)
      read().then(resolve, reject)
    })
  }

  async #deliver(entries: readonly JournalEntry[]): Promise<void> {
    const state = (this.#state ??= this.#open(entries))
    if (state === undefined) return
    for (const [index, entry] of entries.entries()) {
      if (index > 0 && index % slice === 0) await nextTurn(this.#options.environment)
      if (this.#isDropped || state.isSettled) return // late outcomes change nothing
      try {
        this.diverged = deliverTolerant(state, entry, state.delivered, this.diverged)
      } catch (error) {
        const mismatch = mismatchBeforeForcedEnd(state, entries, error)
        this.diverged ??= mismatch
        for (const passed of entries.slice(index)) passOver(state, passed)
        return
      }
    }
  }

  /** `undefined`: the run was ended by force and cannot be replayed; its beginning and its end were told. */
  #open(journal: readonly JournalEntry[]): RunState | undefined {
    const { registry, report, interpreter } = this.#options
    let started: RunStarted
    let known: RunRegistry
    try {
      started = startedOf(journal)
      known = registryHere(registry, started)
    } catch (error) {
      const record = recordInPlaceOf(error, journal)
      this.#found.resolve()
      tellRecord(record, this.log)
      return undefined
    }
    const state = new RunState({
      registry: known,
      started,
      interpreter,
      log: this.log,
      report,
    })
    state.begin()
    this.#found.resolve()
    return state
  }

  /** A process that watches a run does not end before it. */
  async #pause(): Promise<void> {
    if (this.#hasGrown) return
    const { environment, pollInterval } = this.#options
    let callOff = (): void => undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      callOff = environment.clock.after(pollInterval, resolve)
    })
    callOff()
  }
}

/** A suspension is held back until the follower has seen that its questions are listed, or until it is over. */
class FollowedLog extends EventLog {
  override publish(event: RunEvent, entry: number): void {
    if (event.type === 'suspended') this.hold()
    super.publish(event, entry)
    if (event.type === 'resumed') this.release()
  }
}
