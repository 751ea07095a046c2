/** The schedules of a store: an optional port. A row is replaced as a whole, and only against the row that was read. */
import type { JsonValue } from '../../actors/values/json.ts'
import type { Expiry, Page, PageOptions } from './run-index.ts'

/** A schedule as a store has it. */
export interface ScheduleRow {
  /** Unique in the store. */
  readonly key: string
  /** Another text with each change of the row. It is never used again. */
  readonly revision: string
  /** The id of the agent whose runs it starts. */
  readonly agent: string
  readonly resourceId?: string
  /** When a worker must look at it: milliseconds since 1970. Absent: never, it is paused or has ended. */
  readonly wakeAt?: number
  /** When it ended: milliseconds since 1970. Absent: it has not ended. */
  readonly endedAt?: number
  /** The time plan, the prompt, the options and the state. Stores look at no part of it. */
  readonly value: JsonValue
}

/** Chooses schedules of a store. */
export interface ScheduleFilter extends PageOptions {
  /** The one schedule of this key. */
  readonly key?: string
  /** The id of the agent. */
  readonly agent?: string
  readonly resourceId?: string
}

/** Asks for the schedules that a worker must look at first. */
export interface NextSchedules {
  /** The agents of the worker. */
  readonly agents: readonly string[]
  /** The most rows. */
  readonly limit: number
}

/** Keeps schedules: an optional port of a store. Keys and revisions may hold any character. */
export interface ScheduleStorage {
  /** A page of rows, by the order in which their keys were first written. */
  list(filter: ScheduleFilter): Promise<Page<ScheduleRow>>
  /** The rows of these agents that have a `wakeAt`, the earliest first. */
  next(filter: NextSchedules): Promise<readonly ScheduleRow[]>
  /**
   * Writes a row in one transaction, where the row of its key has the revision `before`, or where there is none and `before` is
   * `undefined`. Returns whether the row is kept: `true` also where it was kept already, by an attempt whose answer was lost.
   */
  write(row: ScheduleRow, before: string | undefined): Promise<boolean>
  /** Removes the row of this key, whatever its revision. Returns whether there was one. */
  remove(key: string): Promise<boolean>
  /** The keys of rows with an `endedAt` that a retention deletes, the first that ended first. */
  ended(expiry: Expiry): Promise<readonly string[]>
}
