/** `troupe.schedules`: the schedules of a store, to list, to pause and to remove. */
import { aText, positiveInteger, oneOf } from '../../actors/strict/checks.ts'
import { optional, readOptions, type Fields } from '../../actors/strict/read-options.ts'
import { ConfigurationError, TroupeError } from '../../errors.ts'
import { aCursorOf, type Page } from '../journal/run-index.ts'
import { missingPort } from '../missing-port.ts'
import { keptIn, shown, type Schedule } from './kept-schedule.ts'
import type { ScheduleFilter, ScheduleRow, ScheduleStorage } from '../journal/schedule-storage.ts'
import { ScheduleRows, type RowsHost } from './schedule-rows.ts'
import { aScheduleKey } from './schedule-options.ts'
import { nextAfter, type CronCalendar } from './time-plan.ts'

/** The schedules of a troupe's store. Each call rejects with a `ConfigurationError` for a store without schedules. */
export interface TroupeSchedules {
  /** A page of the schedules, by the order in which they were made. Rejects with a `ConfigurationError` for a wrong filter. */
  list(filter?: ScheduleFilter): Promise<Page<Schedule>>
  /** Returns a schedule; `undefined`: there is none of this key. */
  get(key: string): Promise<Schedule | undefined>
  /**
   * Starts nothing until `resume`, in any process. A run that is being started meanwhile is started. Returns the schedule. Rejects
   * with a `TroupeError` of the code `SCHEDULE_NOT_FOUND`.
   */
  pause(key: string): Promise<Schedule>
  /**
   * Goes on with the first occurrence from now on: those of the pause are left out. Returns the schedule. Rejects with a
   * `TroupeError` of the code `SCHEDULE_NOT_FOUND`, and with a `ConfigurationError` for a cron schedule in a troupe without `cron`.
   */
  resume(key: string): Promise<Schedule>
  /** Removes a schedule. Runs that it has started go on. Returns whether there was one. */
  cancel(key: string): Promise<boolean>
}

const fields: Fields<ScheduleFilter> = {
  key: optional(aText),
  agent: optional(aText),
  resourceId: optional(aText),
  limit: optional(positiveInteger),
  before: optional(aCursorOf('schedules')),
  order: optional(oneOf('oldest', 'newest')),
}

/** Throws a `ConfigurationError`: a misspelt filter must not list all schedules. */
export function readScheduleFilter(given: ScheduleFilter = {}): ScheduleFilter {
  return readOptions<ScheduleFilter>(given, 'schedules.list', fields)
}

/** The refusal of schedules where the store has none. */
export function schedulesOf(storage: ScheduleStorage | undefined): ScheduleStorage {
  if (storage === undefined) throw missingPort('Schedules need', 'schedules')
  return storage
}

/** What the calls need of a troupe. */
export interface SchedulesHost extends Omit<RowsHost, 'storage'> {
  readonly storage: ScheduleStorage | undefined
  readonly calendar: CronCalendar | undefined
  assertOpen(): void
  /** A schedule has another time at which a worker must look at it. */
  changed(): void
}

export function troupeSchedules(host: SchedulesHost): TroupeSchedules {
  const rows = (): ScheduleRows =>
    new ScheduleRows({ ...host, now: () => host.now(), storage: schedulesOf(host.storage) })
  const told = async (key: string, tell: (of: ScheduleRows) => ReturnType<ScheduleRows['tell']>) => {
    host.assertOpen()
    const row = await tell(rows())
    if (row === undefined) throw scheduleNotFound(key)
    host.changed()
    return shown(row)
  }
  return {
    async list(filter) {
      const page = await schedulesOf(host.storage).list(readScheduleFilter(filter))
      return { ...page, items: page.items.filter(isReadable).map(shown) }
    },
    async get(key) {
      aScheduleKey(key, 'schedules.get: key')
      const row = await rows().read(key)
      return row === undefined || !isReadable(row) ? undefined : shown(row)
    },
    async pause(key) {
      aScheduleKey(key, 'schedules.pause: key')
      return told(key, (of) => of.tell(key, () => ({ type: 'schedule.paused' })))
    },
    async resume(key) {
      aScheduleKey(key, 'schedules.resume: key')
      return told(key, (of) =>
        of.tell(key, (row) => {
          const { plan, state } = keptIn(row)
          const next = nextAfter(plan, host.now(), host.calendar)
          return state.status === 'paused' ? { type: 'schedule.resumed', next } : undefined
        }),
      )
    },
    async cancel(key) {
      aScheduleKey(key, 'schedules.cancel: key')
      host.assertOpen()
      return schedulesOf(host.storage).remove(key)
    },
  }
}

/** A sealed store gives no value where the key of the content was forgotten. */
function isReadable({ value }: ScheduleRow): boolean {
  return value !== null
}

/** The error of a key that no schedule has. */
function scheduleNotFound(key: string): TroupeError {
  return new TroupeError('SCHEDULE_NOT_FOUND', `There is no schedule "${key}" in the store.`)
}

/** The error of a key that another resource has taken. */
export function scheduleOfAnother(key: string): ConfigurationError {
  return new ConfigurationError(
    `schedule "${key}": another resource has a schedule of this key. Put the resource into the key, or cancel that schedule.`,
  )
}
