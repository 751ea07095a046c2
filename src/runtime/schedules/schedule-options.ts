/** The options of `troupe.schedule`, read. */
import { aText, is, notNegative, oneOf, positiveInteger } from '../../actors/strict/checks.ts'
import {
  defaultsOf,
  optional,
  readOptions,
  required,
  withDefault,
  type Fields,
} from '../../actors/strict/read-options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { MissedPolicy } from './schedule-machine.ts'
import { known, lastMoment, type CronCalendar, type TimePlan } from './time-plan.ts'

/** What a schedule is called, and how it treats occurrences that come late or too early. */
export interface ScheduleRules {
  /**
   * Names the schedule in its store: 1 to 100 letters, digits, `-`, `_` or `.`. It begins the ids of its runs, such as
   * `report.2026-03-01T09-00-00.000Z`.
   */
  readonly key: string
  /**
   * What happens with occurrences that no worker started in time. `skip`: they are not started. `once`: the latest of them is.
   * `all`: each of them is, the oldest first. Default: `once`.
   */
  readonly missed?: MissedPolicy
  /** Milliseconds after which an occurrence counts as missed. Default: 60 000. */
  readonly missedAfter?: number
  /** An occurrence that comes while the run of the occurrence before goes on: it is started, or left out. Default: `start`. */
  readonly overlap?: 'start' | 'skip'
}

/** When a schedule starts runs. */
export type ScheduleTimes = ScheduleRules &
  (
    | {
        /** Once, at this moment: a date, or milliseconds since 1970. A moment that has passed counts as missed, not as an error. */
        readonly at: Date | number
        readonly every?: undefined
        readonly cron?: undefined
        readonly timeZone?: undefined
      }
    | {
        /** Every so many milliseconds, counted from the moment at which the schedule was made. */
        readonly every: number
        readonly at?: undefined
        readonly cron?: undefined
        readonly timeZone?: undefined
      }
    | {
        /** By a cron expression such as `0 9 * * 1-5`. The troupe needs the option `cron`. */
        readonly cron: string
        /** The IANA time zone of the expression, such as `Europe/Vienna`. Default: `UTC`. */
        readonly timeZone?: string
        readonly at?: undefined
        readonly every?: undefined
      }
  )

interface Given extends ScheduleRules {
  readonly at?: Date | number
  readonly every?: number
  readonly cron?: string
  readonly timeZone?: string
}

const aMoment = is('a Date, or milliseconds since 1970, before the year 10000', (given) => {
  const at = given instanceof Date ? given.getTime() : given
  return typeof at === 'number' && at >= 0 && at <= lastMoment
})

/** It begins the ids of runs. */
export const aScheduleKey = is(
  '1 to 100 letters, digits, "-", "_" or "."',
  (given) => typeof given === 'string' && /^[\w.-]{1,100}$/.test(given),
)

const fields = {
  key: required(aScheduleKey),
  at: optional(aMoment),
  every: optional(positiveInteger),
  cron: optional(aText),
  timeZone: optional(aText),
  missed: withDefault(oneOf('skip', 'once', 'all'), 'once'),
  missedAfter: withDefault(notNegative, 60_000),
  overlap: withDefault(oneOf('start', 'skip'), 'start'),
} satisfies Fields<Given>

/** The options of a schedule, with all defaults. */
export interface ReadTimes {
  readonly key: string
  readonly plan: TimePlan
  readonly missed: MissedPolicy
  readonly missedAfter: number
  readonly overlap: 'start' | 'skip'
}

/** Throws a `ConfigurationError`. `now`: from which an interval counts. */
export function readTimes(given: ScheduleTimes, now: number, calendar: CronCalendar | undefined): ReadTimes {
  const read = { ...defaultsOf(fields), ...readOptions<Given>(given, 'schedule', fields) }
  const { key, missed, missedAfter, overlap } = read
  return { key, plan: planOf(read, now, calendar), missed, missedAfter, overlap }
}

function planOf(
  { key, at, every, cron, timeZone }: Given,
  now: number,
  calendar: CronCalendar | undefined,
): TimePlan {
  const where = `schedule "${key}"`
  const given = [at, every, cron].filter((time) => time !== undefined)
  if (given.length !== 1) throw new ConfigurationError(`${where}: give one of at, every and cron.`)
  if (timeZone !== undefined && cron === undefined)
    throw new ConfigurationError(
      `${where}: timeZone belongs to cron. A moment and an interval have no time zone.`,
    )
  if (at !== undefined) return { type: 'at', at: Math.floor(at instanceof Date ? at.getTime() : at) }
  if (every !== undefined) return { type: 'every', every, from: Math.floor(now) }
  const plan = { type: 'cron', cron: cron ?? '', timeZone: timeZone ?? 'UTC' } as const
  const reader = known(calendar)
  let next: number | undefined
  try {
    reader.check(plan.cron, plan.timeZone)
    next = reader.next(plan.cron, plan.timeZone, now)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError(
      `${where}: ${JSON.stringify(plan.cron)} in ${plan.timeZone} is no time plan: ${problem}`,
      {
        cause,
      },
    )
  }
  if (next === undefined)
    throw new ConfigurationError(`${where}: ${JSON.stringify(plan.cron)} names no time from now on.`)
  return plan
}

/** The id of the run of an occurrence. */
export function occurrenceId(key: string, due: number): string {
  return `${key}.${new Date(due).toISOString().replaceAll(':', '-')}`
}

/** The key and the time of the occurrence whose run may have this id. */
export function occurrenceOf(runId: string): { readonly key: string; readonly due: number } | undefined {
  const [, key, day, time] = /^([\w.-]{1,100})\.(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d\.\d{3}Z)$/.exec(runId) ?? []
  if (key === undefined || time === undefined) return undefined
  return { key, due: Date.parse(`${day}T${time.replaceAll('-', ':')}`) }
}
