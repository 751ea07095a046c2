/**
 * Starts the runs of schedules that are due. Each occurrence is claimed in the store, started under an id that its time gives, and
 * confirmed: whichever worker does a part of this again finds what was done.
 */
import {
  ConfigurationError,
  RunExistsError,
  StoreError,
  TroupeClosedError,
  TroupeDrainingError,
  toErrorData,
} from '../../errors.ts'
import type { Prompt } from '../../actors/message.ts'
import { noContext } from '../async-context.ts'
import type { Clock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import type { Store } from '../journal/store.ts'
import type { Reporter } from '../report.ts'
import { isReadable, keptIn, type KeptSchedule } from './kept-schedule.ts'
import { occurrenceId } from './schedule-options.ts'
import { ScheduleRows } from './schedule-rows.ts'
import { isMovedAhead, type ScheduleContext } from './schedule-machine.ts'
import type { ScheduleRow, ScheduleStorage } from '../journal/schedule-storage.ts'
import { latestAt, nextAfter, type CronCalendar } from './time-plan.ts'

export interface SchedulerHost {
  readonly store: Pick<Store, 'list'>
  readonly environment: Environment
  /** The clock of the runs. */
  readonly clock: Clock
  readonly calendar: CronCalendar | undefined
  readonly report: Reporter
  isOpen(): boolean
  /** The ids of the agents of this worker. */
  agents(): readonly string[]
  /** Milliseconds for which a claim keeps other workers from an occurrence. */
  readonly leaseTtl: number
  /** Milliseconds before another attempt where the store fails. */
  readonly pollInterval: number
  /** Starts a run; resolves once it is on record. */
  startRun(agent: string, prompt: Prompt, options: object): Promise<unknown>
  /** Ends and deletes a run: the schedule was removed while the run was started. */
  withdraw(runId: string): Promise<void>
  awaitBeforeClose(work: Promise<unknown>): void
}

/** The most schedules that are read at once. */
const pageSize = 20

/** The longest time between two looks at the clock: it may jump. Milliseconds. */
const longestNap = 600_000

/** Milliseconds before the first further attempt to start a refused occurrence, and the longest such pause. */
const pauses = { first: 1_000, longest: 60_000 }

export class Scheduler {
  readonly #host: SchedulerHost
  readonly #storage: ScheduleStorage
  readonly #rows: ScheduleRows
  /** Rows that cannot be read, by their revision: they were reported. */
  readonly #unreadable = new Set<string>()
  #callOff: () => void = () => undefined
  #looking: Promise<void> | undefined
  #isAskedAgain = false

  constructor(host: SchedulerHost, storage: ScheduleStorage) {
    this.#host = host
    this.#storage = storage
    this.#rows = new ScheduleRows({ storage, newId: host.environment.newId, now: () => host.clock.now() })
  }

  /** Starts what is due, and sets the alarm for what is next. From then on this worker looks by itself. */
  look(): Promise<void> {
    this.#isAskedAgain = this.#looking !== undefined
    this.#looking ??= noContext
      .run(() => this.#lookOn())
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  stop(): void {
    this.#callOff()
  }

  /** Looks in the background: a failure is reported, and another attempt follows. */
  lookLater(): void {
    const looking = this.look().catch((error: unknown) => {
      if (!this.#host.isOpen()) return
      const message = 'the store could not be asked for schedules; trying again'
      this.#host.report({ message, code: 'SCHEDULES_POLL_FAILED', where: 'store', error })
      this.#arm(this.#host.clock.now() + this.#host.pollInterval)
    })
    this.#host.awaitBeforeClose(looking)
  }

  async #lookOn(): Promise<void> {
    do {
      this.#isAskedAgain = false
      await this.#pass()
    } while (this.#isAskedAgain && this.#host.isOpen())
  }

  async #pass(): Promise<void> {
    const { clock } = this.#host
    for (;;) {
      if (!this.#host.isOpen()) return
      const found = await this.#storage.next({
        agents: this.#host.agents(),
        limit: pageSize + this.#unreadable.size,
      })
      const rows = found.filter(({ revision }) => !this.#unreadable.has(revision))
      let isChanged = false
      for (const row of rows) {
        if (!this.#host.isOpen()) return
        if (this.#isToBeSeen(row)) isChanged = (await this.#act(row)) || isChanged
      }
      const [first] = rows
      if (first === undefined) return
      if (!isChanged && wakeOf(first) > clock.now()) return this.#arm(wakeOf(first))
      // Another worker is at work on all of them.
      if (!isChanged) return this.#arm(clock.now() + this.#host.pollInterval)
    }
  }

  /** Its time has come, or a clock that is ahead of this one has set that time. */
  #isToBeSeen(row: ScheduleRow): boolean {
    const { clock, leaseTtl } = this.#host
    const now = clock.now()
    if (wakeOf(row) <= now || !isReadable(row)) return wakeOf(row) <= now
    const { status, context } = keptIn(row).state
    if (status === 'waiting') return isMovedAhead(context, now)
    return wakeOf(row) > now + (status === 'refused' ? pauses.longest : leaseTtl)
  }

  #arm(at: number): void {
    if (!this.#host.isOpen()) return
    this.#callOff()
    const { clock } = this.#host
    const delay = Math.min(longestNap, Math.max(0, at - clock.now()))
    const ring = (): void => (clock.now() < at ? this.#arm(at) : this.lookLater())
    this.#callOff = noContext.run(() => clock.after(delay, ring))
  }

  /** Whether the row is another one from now on, or is passed over. */
  async #act(row: ScheduleRow): Promise<boolean> {
    let kept: KeptSchedule
    let claimed: ScheduleRow | undefined
    try {
      kept = keptIn(row)
      if (kept.state.status === 'begun') return await this.#confirm(row.key, kept)
      claimed = await this.#claim(row, kept)
    } catch (error) {
      if (!isOfRow(error)) throw error
      this.#unreadable.add(row.revision)
      this.#report(`the schedule "${row.key}" is passed over here`, error)
      return true
    }
    if (claimed === undefined) return false
    const { state } = keptIn(claimed)
    if (state.status === 'starting') await this.#start(claimed, kept, state.context)
    return true
  }

  /** The run of the occurrence is on record, or has been. */
  async #confirm(key: string, { plan, state: { context } }: KeptSchedule): Promise<boolean> {
    const { clock, calendar } = this.#host
    const { due } = context
    const next = nextAfter(plan, due, calendar)
    await this.#rows.tell(key, () => ({ type: 'run.started', due, at: clock.now(), next }))
    return true
  }

  async #claim(row: ScheduleRow, { plan, state, overlap }: KeptSchedule): Promise<ScheduleRow | undefined> {
    const { clock, calendar, leaseTtl } = this.#host
    const now = clock.now()
    const { due, last } = state.context
    const isBusy = overlap === 'skip' && last !== undefined && (await this.#isUnderWay(row.key, last.due))
    return this.#rows.step(row, {
      type: 'time.reached',
      now,
      latest: latestAt(plan, due, now, calendar),
      following: nextAfter(plan, now, calendar),
      next: nextAfter(plan, due, calendar),
      isBusy,
      claimUntil: now + leaseTtl,
      retryUntil: now + pauses.longest,
    })
  }

  async #isUnderWay(key: string, due: number): Promise<boolean> {
    const { items } = await this.#host.store.list('runs', { runId: occurrenceId(key, due), limit: 1 })
    return items.some(({ status }) => status !== 'settled')
  }

  async #start(
    { key, agent }: ScheduleRow,
    { plan, prompt, options }: KeptSchedule,
    { due, wakeAt: claimUntil = 0 }: ScheduleContext,
  ): Promise<void> {
    const host = this.#host
    const runId = occurrenceId(key, due)
    // The process stood still: another worker may have started the run, and it may have ended and be deleted.
    if (host.clock.now() >= claimUntil) return
    try {
      await host.startRun(agent, prompt as Prompt, { ...options, runId })
    } catch (error) {
      if (!(error instanceof RunExistsError)) return this.#notStarted(key, due, error)
    }
    const row = await this.#rows.tell(key, () => ({
      type: 'run.started',
      due,
      at: host.clock.now(),
      next: nextAfter(plan, due, host.calendar),
    }))
    if (row === undefined) await this.#withdraw(runId)
  }

  /** A run that has ended meanwhile, or that another process has taken, stays. */
  async #withdraw(runId: string): Promise<void> {
    try {
      await this.#host.withdraw(runId)
    } catch (error) {
      if (this.#host.isOpen()) this.#report(`the run "${runId}" of a removed schedule goes on`, error, runId)
    }
  }

  async #notStarted(key: string, due: number, error: unknown): Promise<void> {
    const host = this.#host
    if (error instanceof TroupeDrainingError || error instanceof TroupeClosedError) {
      await this.#rows.tell(key, () => ({ type: 'start.deferred', due }))
      return
    }
    const row = await this.#rows.tell(key, (found) => {
      const { failures } = keptIn(found).state.context
      const pause = Math.min(pauses.longest, pauses.first * 2 ** failures)
      return { type: 'start.failed', due, error: toErrorData(error), retryAt: host.clock.now() + pause }
    })
    const isFirst = row !== undefined && keptIn(row).state.context.failures === 1
    const runId = occurrenceId(key, due)
    if (isFirst)
      this.#report(`the run "${runId}" of a schedule could not be started; trying again`, error, runId)
  }

  #report(message: string, error: unknown, runId?: string): void {
    this.#host.report({ message, code: 'OCCURRENCE_NOT_STARTED', where: 'run', error, runId })
  }
}

function wakeOf({ wakeAt = Number.POSITIVE_INFINITY }: ScheduleRow): number {
  return wakeAt
}

/** The row is damaged, or this worker lacks what it needs: other rows go on. */
function isOfRow(error: unknown): boolean {
  return (
    error instanceof ConfigurationError || (error instanceof StoreError && error.code === 'STORE_CORRUPT')
  )
}
