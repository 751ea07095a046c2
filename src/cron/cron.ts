/** Cron expressions, read by croner. */
import { Cron } from 'croner'
import type { CronCalendar } from '../index.ts'

/** Expressions that were read. A worker has few, and asks for each of them again and again. */
const most = 100
const known = new Map<string, Cron>()

/**
 * Reads the cron expressions of schedules: `createTroupe({ agents, store, cron })`. An expression has five fields, or six with
 * seconds first, and the forms of croner (`L`, `W`, `#`, names). A day of the month and a day of the week that are both given:
 * either is enough. A time that summer time leaves out comes at the moment to which the clock is put forward. A time that comes
 * twice counts once, unless the hour is a `*`.
 */
export const cron: CronCalendar = {
  check(expression, timeZone) {
    if (timeZone === '' || expression.trim() === '') throw new Error('it is empty')
    jobOf(expression, timeZone).nextRun(new Date(0))
  },
  next: (expression, timeZone, after) => jobOf(expression, timeZone).nextRun(new Date(after))?.getTime(),
  /** Croner looks back to before a moment. */
  latest(expression, timeZone, at) {
    const [latest] = jobOf(expression, timeZone).previousRuns(1, new Date(Math.floor(at) + 1))
    return latest?.getTime()
  },
}

function jobOf(expression: string, timeZone: string): Cron {
  const key = JSON.stringify([expression, timeZone])
  const found = known.get(key) ?? new Cron(expression, { timezone: timeZone, paused: true })
  if (known.size >= most) known.clear()
  known.set(key, found)
  return found
}
