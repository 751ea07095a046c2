/**
 * The life of a schedule. It is a fold: a worker reads the state from the store, tells it one event, and writes the state back. The
 * write is refused where another worker was first, so that a claim of an occurrence is a transition of one worker.
 */
import { assign, setup } from 'xstate'
import { once } from '../../actors/values/once.ts'
import type { ErrorData } from '../../errors.ts'

/** What happens with occurrences that nobody started in time. */
export type MissedPolicy = 'skip' | 'once' | 'all'

/** Occurrences that were left out. Times are milliseconds since 1970. */
export interface SkippedOccurrences {
  /** The first and the last of them lie within these times. */
  readonly from: number
  readonly to: number
  /** No worker was there in time, the run before went on, or the schedule was paused. */
  readonly why: 'missed' | 'overlap' | 'paused'
}

interface Span {
  readonly from: number
  readonly to: number
}

/** All of it is JSON. */
export interface ScheduleContext {
  readonly missed: MissedPolicy
  /** Milliseconds after which an occurrence counts as missed. */
  readonly missedAfter: number
  /** The occurrence that is next, or that is being started; of an ended schedule the last one. */
  readonly due: number
  /** When a worker must look at it. */
  readonly wakeAt?: number | undefined
  /** How many occurrences were started. */
  readonly started: number
  /** The last occurrence that was started, and when. */
  readonly last?: { readonly due: number; readonly at: number } | undefined
  /** The last occurrences that were not started. */
  readonly skipped?: SkippedOccurrences | undefined
  /** The newest times over which missed occurrences were left out. `at`: when, by the clock of the worker. */
  readonly leaps?: readonly (Span & { readonly at: number })[] | undefined
  /** Occurrences to come that were started before their time, by a clock that was ahead: those within these times. */
  readonly early?: readonly Span[] | undefined
  /** How often in a row the occurrence could not be started, and the last error. */
  readonly failures: number
  readonly error?: ErrorData | undefined
}

/** A worker looks at the schedule. */
export interface TimeReached {
  readonly type: 'time.reached'
  readonly now: number
  /** The last occurrence at or before `now`, not before the one that is due. */
  readonly latest: number
  /** The first occurrence after `now`; absent: there is none. */
  readonly following?: number | undefined
  /** The first occurrence after the one that is due; absent: there is none. */
  readonly next?: number | undefined
  /** The run of an earlier occurrence goes on, and occurrences must not overlap. */
  readonly isBusy: boolean
  /** Until when other workers leave the occurrence to this one. */
  readonly claimUntil: number
  /** Until when workers leave a refused occurrence alone at most. */
  readonly retryUntil: number
}

export type ScheduleEvent =
  | TimeReached
  /** The run of the occurrence is on record. `next`: the occurrence after it. */
  | {
      readonly type: 'run.started'
      readonly due: number
      readonly at: number
      readonly next?: number | undefined
    }
  | {
      readonly type: 'start.failed'
      readonly due: number
      readonly error: ErrorData
      readonly retryAt: number
    }
  /** The run of the occurrence is deleted, and nobody has confirmed its start. */
  | { readonly type: 'run.deleted'; readonly due: number; readonly at: number }
  /** The worker closes or drains: another one starts the occurrence. */
  | { readonly type: 'start.deferred'; readonly due: number }
  | { readonly type: 'schedule.paused' }
  /** `next`: the first occurrence from now on. */
  | { readonly type: 'schedule.resumed'; readonly next?: number | undefined }

type Started = Extract<ScheduleEvent, { type: 'run.started' }>
type Deleted = Extract<ScheduleEvent, { type: 'run.deleted' }>
type Failed = Extract<ScheduleEvent, { type: 'start.failed' }>

/** Whether occurrences were left out by a clock that is ahead of this one: some of them are still to come. */
export function isMovedAhead({ leaps = [] }: ScheduleContext, now: number): boolean {
  return leaps.some(({ at }) => at > now)
}

function isEarly({ early = [] }: ScheduleContext, due: number): boolean {
  return early.some(({ from, to }) => from <= due && due <= to)
}

/** Notes that missed occurrences are left out. */
function leap({ leaps = [], due }: ScheduleContext, to: number, at: number) {
  return {
    leaps: [...leaps, { from: due, to, at }].slice(-mostKept),
    skipped: { from: due, to, why: 'missed' as const },
  }
}

/** Back to the first occurrence that a clock ahead left out. What it has started in between is not started again. */
function putBack({ leaps = [], due, early = [] }: ScheduleContext, now: number): Partial<ScheduleContext> {
  const wrong = leaps.filter(({ at }) => at > now)
  const back = wrong[0]?.from ?? due
  const started = wrong.map(({ to }, index) => ({ from: to + 1, to: (wrong[index + 1]?.from ?? due) - 1 }))
  return {
    due: back,
    wakeAt: back,
    skipped: undefined,
    leaps: leaps.filter(({ at }) => at <= now),
    early: [...early, ...started.filter(({ from, to }) => from <= to)].slice(-mostKept),
  }
}

function isOver({ wakeAt }: ScheduleContext, now: number, longest: number): boolean {
  return wakeAt !== undefined && (wakeAt <= now || wakeAt > longest)
}

/** The most spans of a kind that are kept: the newest. */
const mostKept = 20

/** The look that led here: the states that decide are left in the same step. */
function momentOf({ event }: { readonly event: ScheduleEvent }): TimeReached {
  if (event.type !== 'time.reached')
    throw new TypeError(`A schedule decides on time.reached, not on ${event.type}.`)
  return event
}

const scheduleSetup = setup({
  types: { input: {} as ScheduleContext, context: {} as ScheduleContext, events: {} as ScheduleEvent },
  guards: {
    isTime: ({ context }, { now }: TimeReached) => context.wakeAt !== undefined && context.wakeAt <= now,
    // A time further ahead than any claim can be is by a wrong clock.
    isClaimOver: ({ context }, { now, claimUntil }: TimeReached) => isOver(context, now, claimUntil),
    isTimeToRetry: ({ context }, { now, retryUntil }: TimeReached) => isOver(context, now, retryUntil),
    isMovedAhead: ({ context }, { now }: TimeReached) => isMovedAhead(context, now),
    wasEarly: ({ context }) => isEarly(context, context.due),
    isBusy: (_, { isBusy }: TimeReached) => isBusy,
    isInTime: ({ context }, { now }: TimeReached) => now - context.due <= context.missedAfter,
    startsAllMissed: ({ context }) => context.missed === 'all',
    startsLatest: ({ context }, { now, latest }: TimeReached) =>
      !isEarly(context, latest) && (context.missed === 'once' || now - latest <= context.missedAfter),
    hasNextTime: (_, { next }: TimeReached) => next !== undefined,
    hasFollowing: (_, { following }: TimeReached) => following !== undefined,
    isDue: ({ context }, { due }: { due: number }) => due === context.due,
    isDueAndHasNext: ({ context }, { due, next }: Started) => due === context.due && next !== undefined,
    hasNext: (_, { next }: { next?: number | undefined }) => next !== undefined,
  },
  actions: {
    claim: assign((_, { claimUntil }: TimeReached) => ({ wakeAt: claimUntil })),
    release: assign(({ context }) => ({ wakeAt: context.due })),
    putBack: assign(({ context }, { now }: TimeReached) => putBack(context, now)),
    passEarly: assign(({ context: { due, early = [] } }, { next }: TimeReached) => ({
      due: next ?? due,
      wakeAt: next,
      early: early.filter(({ to }) => to > due),
    })),
    skipToLatest: assign(({ context }, { latest, now }: TimeReached) => ({
      due: latest,
      ...(latest === context.due ? {} : leap(context, latest - 1, now)),
    })),
    skipMissed: assign(({ context }, { latest, following, now }: TimeReached) => ({
      due: following ?? context.due,
      wakeAt: following,
      failures: 0,
      error: undefined,
      ...leap(context, latest, now),
    })),
    skipOverlapping: assign(({ context }, { latest, following }: TimeReached) => ({
      due: following ?? context.due,
      wakeAt: following,
      skipped: { from: context.due, to: latest, why: 'overlap' as const },
    })),
    recordStart: assign(({ context }, { due, at, next }: Started) => ({
      due: next ?? due,
      wakeAt: next,
      started: context.started + 1,
      last: { due, at },
      failures: 0,
      error: undefined,
    })),
    moveOn: assign(({ context }, { next }: Started) => ({ due: next ?? context.due, wakeAt: next })),
    recordDeleted: assign(({ context }, { due, at }: Deleted) => ({
      started: context.started + 1,
      last: { due, at },
      failures: 0,
      error: undefined,
    })),
    recordLateStart: assign(({ context }, { due, at }: Started) => ({
      started: context.started + 1,
      last: { due, at },
    })),
    recordFailure: assign(({ context }, { error, retryAt }: Failed) => ({
      wakeAt: retryAt,
      failures: context.failures + 1,
      error,
    })),
    stopClock: assign({ wakeAt: undefined }),
    startClock: assign(({ context }, { next }: { next?: number | undefined }) => ({
      due: next ?? context.due,
      wakeAt: next,
      failures: 0,
      error: undefined,
      ...(next === context.due || context.last?.due === context.due
        ? {}
        : { skipped: { from: context.due, to: (next ?? context.due + 1) - 1, why: 'paused' as const } }),
    })),
  },
})

const moment = { params: momentOf } as const

/** In each state that may start the run: it has been, and must not be again. */
const onDeleted = {
  guard: { type: 'isDue', params: ({ event }: { event: Deleted }) => event },
  target: 'begun',
  actions: { type: 'recordDeleted', params: ({ event }: { event: Deleted }) => event },
} as const

export const scheduleMachine = /* @__PURE__ */ once(() =>
  scheduleSetup.createMachine({
    id: 'schedule',
    description: 'A schedule, which all workers of a store share: each occurrence starts one run.',
    context: ({ input }) => input,
    initial: 'waiting',
    states: {
      waiting: {
        description: 'The next occurrence is known, and is to come.',
        on: {
          'time.reached': [
            {
              guard: { type: 'isMovedAhead', ...moment },
              target: 'waiting',
              reenter: true,
              actions: { type: 'putBack', ...moment },
              description: 'A worker whose clock was ahead left out occurrences that are still to come.',
            },
            { guard: { type: 'isTime', ...moment }, target: 'due' },
          ],
          'run.deleted': onDeleted,
          'schedule.paused': { target: 'paused', actions: 'stopClock' },
        },
      },
      due: {
        description: 'The time of an occurrence has come. Is it to be started?',
        always: [
          { guard: 'wasEarly', target: 'early' },
          { guard: { type: 'isBusy', ...moment }, target: 'overlapping' },
          {
            guard: { type: 'isInTime', ...moment },
            target: 'starting',
            actions: { type: 'claim', ...moment },
          },
          { target: 'missed' },
        ],
      },
      early: {
        description: 'A worker whose clock was ahead has started the occurrence already.',
        always: [
          {
            guard: { type: 'hasNextTime', ...moment },
            target: 'waiting',
            actions: { type: 'passEarly', ...moment },
          },
          { target: 'ended', actions: { type: 'passEarly', ...moment } },
        ],
      },
      missed: {
        description: 'No worker started the occurrence in time. The policy decides.',
        always: [
          { guard: 'startsAllMissed', target: 'starting', actions: { type: 'claim', ...moment } },
          {
            guard: { type: 'startsLatest', ...moment },
            target: 'starting',
            actions: [
              { type: 'skipToLatest', ...moment },
              { type: 'claim', ...moment },
            ],
          },
          {
            guard: { type: 'hasFollowing', ...moment },
            target: 'waiting',
            actions: { type: 'skipMissed', ...moment },
          },
          { target: 'ended', actions: { type: 'skipMissed', ...moment } },
        ],
      },
      overlapping: {
        description: 'The run of an earlier occurrence goes on, and the schedule lets no two runs overlap.',
        always: [
          {
            guard: { type: 'hasFollowing', ...moment },
            target: 'waiting',
            actions: { type: 'skipOverlapping', ...moment },
          },
          { target: 'ended', actions: { type: 'skipOverlapping', ...moment } },
        ],
      },
      starting: {
        description:
          'One worker has claimed the occurrence and starts its run. Another one does so once the claim is over.',
        on: {
          'run.started': [
            {
              guard: { type: 'isDueAndHasNext', params: ({ event }) => event },
              target: 'waiting',
              actions: { type: 'recordStart', params: ({ event }) => event },
            },
            {
              guard: { type: 'isDue', params: ({ event }) => event },
              target: 'ended',
              actions: { type: 'recordStart', params: ({ event }) => event },
            },
          ],
          'start.failed': {
            guard: { type: 'isDue', params: ({ event }) => event },
            target: 'refused',
            actions: { type: 'recordFailure', params: ({ event }) => event },
          },
          'start.deferred': {
            guard: { type: 'isDue', params: ({ event }) => event },
            target: 'waiting',
            actions: 'release',
          },
          'time.reached': {
            guard: { type: 'isClaimOver', ...moment },
            target: 'starting',
            reenter: true,
            actions: { type: 'claim', ...moment },
          },
          'run.deleted': onDeleted,
          'schedule.paused': { target: 'paused', actions: 'stopClock' },
        },
      },
      begun: {
        description:
          'The run of the occurrence was started and deleted, and nobody confirmed it. The next occurrence is to be found.',
        on: {
          'run.started': [
            {
              guard: { type: 'isDueAndHasNext', params: ({ event }) => event },
              target: 'waiting',
              actions: { type: 'moveOn', params: ({ event }) => event },
            },
            {
              guard: { type: 'isDue', params: ({ event }) => event },
              target: 'ended',
              actions: { type: 'moveOn', params: ({ event }) => event },
            },
          ],
          'schedule.paused': { target: 'paused', actions: 'stopClock' },
        },
      },
      refused: {
        description:
          'The run could not be started: its error is kept. Workers try again, less and less often.',
        on: {
          'time.reached': { guard: { type: 'isTimeToRetry', ...moment }, target: 'due' },
          'run.deleted': onDeleted,
          'schedule.paused': { target: 'paused', actions: 'stopClock' },
        },
      },
      paused: {
        description: 'Nothing is started. What falls into the pause is not caught up.',
        on: {
          'run.started': {
            guard: { type: 'isDue', params: ({ event }) => event },
            actions: { type: 'recordLateStart', params: ({ event }) => event },
          },
          'schedule.resumed': [
            {
              guard: { type: 'hasNext', params: ({ event }) => event },
              target: 'waiting',
              actions: { type: 'startClock', params: ({ event }) => event },
            },
            { target: 'ended', actions: { type: 'startClock', params: ({ event }) => event } },
          ],
        },
      },
      ended: { description: 'There is no further occurrence.', type: 'final' },
    },
  }),
)

/** The state of a schedule as data: all that a store must keep of it. */
export interface ScheduleState {
  readonly status: ScheduleStatus
  readonly context: ScheduleContext
}

/** The states in which a schedule rests. */
export type ScheduleStatus = 'waiting' | 'starting' | 'begun' | 'refused' | 'paused' | 'ended'
