/** A schedule as its row has it, and as it is shown. */
import { canonicalJson, isRecord, type JsonValue } from '../../actors/values/json.ts'
import type { Prompt } from '../../actors/message.ts'
import { StoreError, type ErrorData } from '../../errors.ts'
import { firstState } from './schedule-state.ts'
import type { MissedPolicy, ScheduleState, ScheduleStatus, SkippedOccurrences } from './schedule-machine.ts'
import { occurrenceId, type ReadTimes } from './schedule-options.ts'
import type { ScheduleRow } from '../journal/schedule-storage.ts'
import { nextAfter, type CronCalendar, type TimePlan } from './time-plan.ts'

/** The value of a row. */
export interface KeptSchedule {
  readonly plan: TimePlan
  readonly overlap: 'start' | 'skip'
  readonly prompt: JsonValue
  readonly options: Readonly<Record<string, JsonValue>>
  readonly createdAt: number
  readonly state: ScheduleState
}

/** A schedule, as lists show it. Times are milliseconds since 1970. */
export interface Schedule {
  readonly key: string
  /** The id of the agent whose runs it starts. */
  readonly agent: string
  readonly resourceId?: string
  /**
   * `waiting`: the next occurrence is to come. `starting`: a worker starts a run. `begun`: its run is deleted already, and the
   * next occurrence is to be found. `refused`: the run could not be started, and workers try again. `paused`: nothing is started. `ended`: there is no further occurrence.
   */
  readonly status: ScheduleStatus
  /** Once, at an interval, or by a cron expression. */
  readonly plan: TimePlan
  readonly prompt: Prompt
  readonly missed: MissedPolicy
  readonly missedAfter: number
  readonly overlap: 'start' | 'skip'
  /** The occurrence that comes next, or is being started. Absent: it is paused or has ended. */
  readonly next?: number
  /** How many runs it has started. */
  readonly started: number
  /** The last occurrence that was started: its time, when it was started, and its run. */
  readonly last?: { readonly due: number; readonly at: number; readonly runId: string }
  /** The last occurrences that were not started. */
  readonly skipped?: SkippedOccurrences
  /** Why the occurrence could not be started. */
  readonly error?: ErrorData
  readonly createdAt: number
  readonly endedAt?: number
}

/** What a schedule is to start. */
export interface Asked extends ReadTimes {
  readonly agent: string
  readonly prompt: JsonValue
  readonly options: Readonly<Record<string, JsonValue>>
  readonly resourceId: string | undefined
}

/** The value of a row. Throws a `StoreError` for a row that no release of the library has written. */
export function keptIn({ key, value }: ScheduleRow): KeptSchedule {
  if (isKept(value)) return value as object as KeptSchedule
  throw new StoreError(`The schedule "${key}" in the store is damaged: remove it with schedules.cancel.`, {
    code: 'STORE_CORRUPT',
  })
}

/** Whether it is a row of this library, and its content is there. */
export function isReadable({ value }: ScheduleRow): boolean {
  return isKept(value)
}

function isKept(value: JsonValue): boolean {
  return isRecord(value) && isRecord(value['plan']) && isRecord(value['state'])
}

/** The row of a state. */
export function rowOf(
  before: Pick<ScheduleRow, 'key' | 'agent' | 'resourceId'>,
  kept: KeptSchedule,
  { revision, now }: { readonly revision: string; readonly now: number },
): ScheduleRow {
  const { status, context } = kept.state
  const { key, agent, resourceId } = before
  return {
    key,
    revision,
    agent,
    ...(resourceId === undefined ? {} : { resourceId }),
    ...(context.wakeAt === undefined ? {} : { wakeAt: context.wakeAt }),
    ...(status === 'ended' ? { endedAt: now } : {}),
    value: JSON.parse(JSON.stringify(kept)) as JsonValue,
  }
}

/** The value of a schedule that begins now. */
export function newSchedule(asked: Asked, now: number, calendar: CronCalendar | undefined): KeptSchedule {
  const { plan, missed, missedAfter } = asked
  const due = plan.type === 'at' ? plan.at : nextAfter(plan, now, calendar)
  const context = { missed, missedAfter, due: due ?? now, wakeAt: due, started: 0, failures: 0 }
  const state: ScheduleState = due === undefined ? { status: 'ended', context } : firstState(context)
  return { ...definitionOf(asked), createdAt: now, state }
}

/** The value of a schedule that is asked for again; `undefined`: nothing of it changes. */
export function changedSchedule(
  before: ScheduleRow,
  asked: Asked,
  now: number,
  calendar: CronCalendar | undefined,
): KeptSchedule | undefined {
  const kept = keptIn(before)
  const { context, status } = kept.state
  const isSamePlan = textOf(timesOf(kept.plan)) === textOf(timesOf(asked.plan))
  const { missed, missedAfter } = asked
  const isSame =
    isSamePlan &&
    before.agent === asked.agent &&
    context.missed === missed &&
    context.missedAfter === missedAfter &&
    textOf([kept.overlap, kept.prompt, kept.options]) === textOf([asked.overlap, asked.prompt, asked.options])
  if (isSame) return undefined
  const definition = definitionOf(asked)
  if (isSamePlan) {
    const state = { status, context: { ...context, missed, missedAfter } }
    return { ...definition, plan: kept.plan, createdAt: kept.createdAt, state }
  }
  const { state } = newSchedule(asked, now, calendar)
  const { started, last, skipped } = context
  const isPaused = status === 'paused' && state.status === 'waiting'
  const next = { ...state.context, started, last, skipped, ...(isPaused ? { wakeAt: undefined } : {}) }
  return {
    ...definition,
    createdAt: kept.createdAt,
    state: { status: isPaused ? 'paused' : state.status, context: next },
  }
}

/** As users see it. */
export function shown(row: ScheduleRow): Schedule {
  const { plan, overlap, prompt, createdAt, state } = keptIn(row)
  const { key, agent, resourceId, endedAt } = row
  const { status, context } = state
  const { missed, missedAfter, started, last, skipped, error, due } = context
  return {
    key,
    agent,
    ...(resourceId === undefined ? {} : { resourceId }),
    status,
    plan,
    prompt: prompt as Prompt,
    missed,
    missedAfter,
    overlap,
    ...(status === 'paused' || status === 'ended' ? {} : { next: due }),
    started,
    ...(last === undefined ? {} : { last: { ...last, runId: occurrenceId(key, last.due) } }),
    ...(skipped === undefined ? {} : { skipped }),
    ...(error === undefined ? {} : { error }),
    createdAt,
    ...(endedAt === undefined ? {} : { endedAt }),
  }
}

function definitionOf({ plan, overlap, prompt, options }: Asked) {
  return { plan, overlap, prompt, options }
}

/** The moment from which an interval counts is no part of what was asked for. */
function timesOf(plan: TimePlan): JsonValue {
  return plan.type === 'every' ? { type: plan.type, every: plan.every } : { ...plan }
}

function textOf(value: unknown): string {
  return canonicalJson(value as JsonValue)
}
