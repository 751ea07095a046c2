/**
 * Cron expressions. Croner reads an expression and counts through the times of a wall clock that never changes. What a change of the
 * clock does to these times is decided here, as cron of Unix decides it.
 */
import { Cron } from 'croner'
import type { CronCalendar } from '../index.ts'
import { ZonedClock } from './zoned-clock.ts'

interface Plan {
  /** Its times are wall times. */
  readonly job: Cron
  readonly clock: ZonedClock
  /** It has each hour of the day: it goes by the time that passes, and not by the hours on the wall. */
  readonly isHourly: boolean
}

/** Expressions that were read. A worker has few, and asks for each of them again and again. */
const most = 100
const known = new Map<string, Plan>()

/**
 * Reads the cron expressions of schedules: `createTroupe({ agents, store, cron })`. An expression has five fields, or six with
 * seconds first, and the forms of croner (`L`, `W`, `#`, names). A day of the month and a day of the week that are both given:
 * either is enough. A time that summer time leaves out comes at the moment to which the clock is put forward. A time that comes
 * twice counts the first time. An expression with each hour has all times that the clock shows, and no other.
 */
export const cron: CronCalendar = {
  check(expression, timeZone) {
    if (timeZone === '' || expression.trim() === '') throw new Error('it is empty')
    planOf(expression, timeZone).job.nextRun(new Date(0))
  },
  next(expression, timeZone, after) {
    const plan = planOf(expression, timeZone)
    return plan.isHourly ? nextPassing(plan, Math.floor(after)) : nextOnWall(plan, Math.floor(after))
  },
  latest(expression, timeZone, at) {
    const plan = planOf(expression, timeZone)
    return plan.isHourly ? latestPassing(plan, Math.floor(at)) : latestOnWall(plan, Math.floor(at))
  },
}

// --- each time of the wall is one moment, and a later time is no earlier moment --------------------------------------

function nextOnWall({ job, clock }: Plan, after: number): number | undefined {
  return momentOnWall(clock, nextWall(job, lastWall(clock, after)))
}

function latestOnWall({ job, clock }: Plan, at: number): number | undefined {
  return momentOnWall(clock, latestWall(job, lastWall(clock, at)))
}

/** The latest time that the wall has shown. The clock may have been put back since then. */
function lastWall(clock: ZonedClock, at: number): number {
  const change = clock.changeBefore(at)
  const wall = clock.wallOf(at)
  return change === undefined ? wall : Math.max(wall, change.from - 1)
}

/** The first moment of a wall time; of a time that is left out, the moment of the change. */
function momentOnWall(clock: ZonedClock, wall: number | undefined): number | undefined {
  if (wall === undefined) return undefined
  return clock.momentsOf(wall)[0] ?? clock.changeOver(wall)?.at
}

// --- each moment at which the wall shows a time ----------------------------------------------------------------------

function nextPassing({ job, clock }: Plan, after: number): number | undefined {
  let from: number | undefined = after + 1
  while (from !== undefined) {
    const first: number = from
    const change = clock.changeAfter(first)
    const wall = nextWall(job, clock.wallOf(first) - 1)
    if (change !== undefined && (wall === undefined || wall >= change.from)) {
      from = change.at
      continue
    }
    if (wall === undefined) return undefined
    const moment = clock.momentsOf(wall).find((at) => at >= first)
    if (moment !== undefined) return moment
    from = clock.changeOver(wall)?.at
  }
  return undefined
}

function latestPassing({ job, clock }: Plan, at: number): number | undefined {
  let until: number | undefined = at
  while (until !== undefined) {
    const last: number = until
    const change = clock.changeBefore(last)
    const wall = latestWall(job, clock.wallOf(last))
    if (change !== undefined && (wall === undefined || wall < change.to)) {
      until = change.at - 1
      continue
    }
    if (wall === undefined) return undefined
    const moment = clock.momentsOf(wall).findLast((found) => found <= last)
    if (moment !== undefined) return moment
    const over = clock.changeOver(wall)
    until = over === undefined ? undefined : over.at - 1
  }
  return undefined
}

// --- the times on a wall clock that never changes --------------------------------------------------------------------

function nextWall(job: Cron, after: number): number | undefined {
  return job.nextRun(new Date(after))?.getTime()
}

/** Croner looks back to before a moment. */
function latestWall(job: Cron, at: number): number | undefined {
  const [latest] = job.previousRuns(1, new Date(at + 1))
  return latest?.getTime()
}

function planOf(expression: string, timeZone: string): Plan {
  const key = JSON.stringify([expression, timeZone])
  const found = known.get(key) ?? {
    job: new Cron(expression, { timezone: 'UTC', paused: true }),
    clock: new ZonedClock(timeZone),
    isHourly: isHourly(expression),
  }
  if (known.size >= most) known.clear()
  known.set(key, found)
  return found
}

function isHourly(expression: string): boolean {
  const fields = expression.trim().split(/\s+/)
  if (fields.length === 1) return fields[0]?.toLowerCase() === '@hourly'
  return /^(\*|0-23)(\/1)?$/.test(fields[fields.length > 5 ? 2 : 1] ?? '')
}
