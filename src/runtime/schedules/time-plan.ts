/** The times of a schedule: once, at an interval, or by a calendar. Times are whole milliseconds since 1970. */
import { ConfigurationError } from '../../errors.ts'

/**
 * Reads cron expressions: `cron` of `troupe/cron` has the form. Every worker that starts occurrences of such schedules needs it.
 * Its answers depend on its arguments alone.
 */
export interface CronCalendar {
  /** Throws an error for an expression or a time zone that it does not know. */
  check(expression: string, timeZone: string): void
  /** The first time after `after`; `undefined`: there is none. */
  next(expression: string, timeZone: string, after: number): number | undefined
  /** The last time at or before `at`; `undefined`: there is none. */
  latest(expression: string, timeZone: string, at: number): number | undefined
}

/** The times of a schedule, as its store has them. */
export type TimePlan =
  | { readonly type: 'at'; readonly at: number }
  /** `from`: the moment from which it counts. The first occurrence is `every` milliseconds after it. */
  | { readonly type: 'every'; readonly every: number; readonly from: number }
  | { readonly type: 'cron'; readonly cron: string; readonly timeZone: string }

/** The last moment of the year 9999: the ids of runs have four digits for a year. */
export const lastMoment = 253_402_300_799_999

/** The first occurrence after a moment; `undefined`: there is none. */
export function nextAfter(
  plan: TimePlan,
  after: number,
  calendar: CronCalendar | undefined,
): number | undefined {
  const next = nextOf(plan, after, calendar)
  return next === undefined || next > lastMoment ? undefined : next
}

function nextOf(plan: TimePlan, after: number, calendar: CronCalendar | undefined): number | undefined {
  switch (plan.type) {
    case 'at':
      return plan.at > after ? plan.at : undefined
    case 'every':
      return plan.from + plan.every * Math.max(1, Math.floor((after - plan.from) / plan.every) + 1)
    case 'cron':
      return known(calendar).next(plan.cron, plan.timeZone, after)
  }
}

/** The last occurrence at or before a moment, and not before `due`, which is an occurrence. */
export function latestAt(
  plan: TimePlan,
  due: number,
  at: number,
  calendar: CronCalendar | undefined,
): number {
  const latest = latestOf(plan, at, calendar)
  return latest === undefined || latest < due ? due : latest
}

function latestOf(plan: TimePlan, at: number, calendar: CronCalendar | undefined): number | undefined {
  switch (plan.type) {
    case 'at':
      return plan.at
    case 'every':
      return plan.from + plan.every * Math.floor((at - plan.from) / plan.every)
    case 'cron':
      return known(calendar).latest(plan.cron, plan.timeZone, at)
  }
}

/** The refusal of a cron expression where the troupe cannot read one. */
export function known(calendar: CronCalendar | undefined): CronCalendar {
  if (calendar !== undefined) return calendar
  throw new ConfigurationError(
    'A schedule by cron needs a calendar: createTroupe({ cron }) with `cron` of troupe/cron.',
  )
}
